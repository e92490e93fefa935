import { Check, CircleSlash, X } from 'lucide-react'
import { Link } from 'react-router'

import { cx } from '@/components/cx'
import { formatMetric } from '@/lib/format'
import { text } from '@/strings/sampled-designs'

import { cellTold } from './matrix'
import type { Execution } from './use-designs'

const LOOKS = {
  right: { icon: Check, look: 'border-good/40 bg-good-soft text-good' },
  wrong: { icon: X, look: 'border-line bg-surface-2 text-ink-2' },
  failed: { icon: CircleSlash, look: 'border-bad/40 bg-bad-soft text-bad' },
} as const

interface Props {
  design: number
  execution: Execution
  to: string
  isHere?: boolean
}

/** The reward of one execution: whether it was right by mark and colour, and the way to it. */
export function RewardCell({ design, execution, to, isHere = false }: Readonly<Props>) {
  const { correct, ending, reward } = execution
  const { icon: Icon, look } =
    LOOKS[correct ? 'right' : ending === 'delivered' ? 'wrong' : 'failed']
  const told = cellTold(execution)
  return (
    <Link
      to={to}
      title={told}
      aria-label={text.matrix.cell(design, execution.execution, told)}
      aria-current={isHere ? 'page' : undefined}
      className={cx(
        'inline-flex h-7 min-w-13 items-center justify-center gap-1 rounded-md border px-1.5 text-xs font-medium',
        look,
        isHere ? 'ring-2 ring-accent' : 'hover:border-line-strong',
      )}
    >
      <Icon size={12} aria-hidden />
      {formatMetric(reward)}
    </Link>
  )
}

/** What the marks in the cells mean. */
export const RewardLegend = () => (
  <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-ink-2">
    {text.matrix.legend}
    {(['right', 'wrong', 'failed'] as const).map((key) => {
      const { icon: Icon, look } = LOOKS[key]
      return (
        <span key={key} className="inline-flex items-center gap-1.5">
          <span
            aria-hidden
            className={cx('inline-grid size-5 place-items-center rounded-md border', look)}
          >
            <Icon size={12} />
          </span>
          {text.matrix[key]}
        </span>
      )
    })}
  </p>
)
