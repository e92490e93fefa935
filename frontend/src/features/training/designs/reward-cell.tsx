import { Check, CircleSlash, X } from 'lucide-react'
import { Link } from 'react-router'

import { cx } from '@/components/cx'
import { formatMetric } from '@/lib/format'
import { text } from '@/strings/sampled-designs'

import { cellTold } from './matrix'
import type { Execution } from './use-designs'

interface Props {
  design: number
  execution: Execution
  to: string
  isHere?: boolean
}

/** The reward of one execution: whether it was right by mark and colour, and the way to it. */
export function RewardCell({ design, execution, to, isHere = false }: Readonly<Props>) {
  const { correct, ending, reward } = execution
  const Icon = correct ? Check : ending === 'delivered' ? X : CircleSlash
  const told = cellTold(execution)
  return (
    <Link
      to={to}
      title={told}
      aria-label={text.matrix.cell(design, execution.execution, told)}
      aria-current={isHere ? 'page' : undefined}
      className={cx(
        'inline-flex h-7 min-w-13 items-center justify-center gap-1 rounded-md border px-1.5 text-xs font-medium',
        correct
          ? 'border-good/40 bg-good-soft text-good'
          : ending === 'delivered'
            ? 'border-line bg-surface-2 text-ink-2'
            : 'border-bad/40 bg-bad-soft text-bad',
        isHere ? 'ring-2 ring-accent' : 'hover:border-line-strong',
      )}
    >
      <Icon size={12} aria-hidden />
      {formatMetric(reward)}
    </Link>
  )
}
