import { Check, CircleSlash, Minus, X, type LucideIcon } from 'lucide-react'

import { strings } from '@/strings/studio'

import { Badge, type Tone } from './badge'
import { cx } from './cx'

type Verdict = 'right' | 'wrong' | 'unjudged' | 'failed'

const looks: Readonly<Record<Verdict, readonly [tone: Tone, icon: LucideIcon, ink: string]>> = {
  right: ['good', Check, 'text-good'],
  wrong: ['bad', X, 'text-bad'],
  failed: ['warn', CircleSlash, 'text-warn'],
  unjudged: ['neutral', Minus, 'text-ink-3'],
}

interface Props {
  /** null: nobody judged it. */
  correct: boolean | null
  /** An error prevented an answer. */
  failed?: boolean
  title?: string
  /** Only icon and word, for the rows of a table. */
  plain?: boolean
}

/** Right or wrong, always as a word and an icon. */
export function VerdictBadge({ correct, failed = false, title, plain = false }: Readonly<Props>) {
  const verdict: Verdict = failed
    ? 'failed'
    : correct === null
      ? 'unjudged'
      : correct
        ? 'right'
        : 'wrong'
  const [tone, Icon, ink] = looks[verdict]
  const icon = <Icon size={plain ? 14 : 12} aria-hidden strokeWidth={2.5} className="shrink-0" />
  if (!plain)
    return (
      <Badge tone={tone} icon={icon} {...(title ? { title } : {})}>
        {strings.verdict[verdict]}
      </Badge>
    )
  return (
    <span
      title={title}
      className={cx('inline-flex items-center gap-1 text-xs font-medium whitespace-nowrap', ink)}
    >
      {icon}
      {strings.verdict[verdict]}
    </span>
  )
}
