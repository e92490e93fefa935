import { ProgressBar as AriaProgressBar } from 'react-aria-components'

import { cx } from './cx'

interface Props {
  label: string
  /** null: it goes on, and nobody knows how far it is. */
  value: number | null
  total: number
  /** What is done and what is left, in words. */
  text: string
  className?: string
}

/** How far something is, in a bar and in words. */
export function ProgressBar(props: Readonly<Props>) {
  const { label, value, total, text, className } = props
  const share = value === null ? 1 : total > 0 ? Math.min(1, value / total) : 0
  return (
    <AriaProgressBar
      aria-label={label}
      isIndeterminate={value === null}
      value={value ?? 0}
      maxValue={Math.max(total, 1)}
      valueLabel={text}
      className={cx('flex min-w-0 flex-col gap-1', className)}
    >
      <span className="h-1.5 overflow-hidden rounded-full bg-surface-3">
        <span
          className={cx(
            'block h-full rounded-full bg-accent transition-[width] duration-300',
            value === null && 'animate-pulse opacity-40',
          )}
          style={{ width: `${share * 100}%` }}
        />
      </span>
      <span className="text-xs text-ink-2">{text}</span>
    </AriaProgressBar>
  )
}
