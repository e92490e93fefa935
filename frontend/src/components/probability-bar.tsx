import { formatProbability } from '@/lib/format'

import { cx } from './cx'

interface Props {
  label: string
  /** 0 to 1. */
  probability: number
  chosen?: boolean
  masked?: boolean
  color?: string
}

/** One option of a choice: its bar is its probability, the chosen one is marked in weight and by a dot. */
export function ProbabilityBar({
  label,
  probability,
  chosen = false,
  masked = false,
  color = 'var(--accent)',
}: Readonly<Props>) {
  return (
    <div
      className={cx(
        'grid grid-cols-[1fr_auto] items-center gap-x-2 text-xs',
        masked && 'opacity-60',
      )}
    >
      <span
        className={cx('truncate', chosen ? 'font-semibold text-ink' : 'text-ink-2')}
        title={label}
      >
        {chosen ? <span aria-hidden>● </span> : null}
        {label}
      </span>
      <span className="text-ink-2">{masked ? '—' : formatProbability(probability)}</span>
      <span aria-hidden className="col-span-2 h-1 overflow-hidden rounded-full bg-surface-3">
        <span
          className="block h-full rounded-full"
          style={{ width: `${probability * 100}%`, backgroundColor: color }}
        />
      </span>
    </div>
  )
}
