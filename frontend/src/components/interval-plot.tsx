import { axisTicks, labelledTicks, placeOn, type Interval } from '@/lib/interval'

import { cx } from './cx'

interface Props {
  value: number | null
  interval: Interval | null
  axis: Interval
  /** The same in words, for whoever does not see the drawing. */
  label: string
  color?: string
  /** A line through the place that would mean “no difference”. */
  zero?: number
  className?: string
}

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`

/** A dot at the estimate and a whisker over its interval, on an axis that all rows share. */
export function IntervalPlot(props: Readonly<Props>) {
  const { value, interval, axis, label, color = 'var(--accent)', zero, className } = props
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      className={cx('relative block h-5 min-w-24', className)}
    >
      <span className="absolute inset-x-0 top-1/2 h-px bg-line" />
      {axisTicks(axis).map((tick) => (
        <span
          key={tick}
          className="absolute top-1/2 h-1.5 w-px -translate-y-1/2 bg-line"
          style={{ left: percent(placeOn(tick, axis)) }}
        />
      ))}
      {zero === undefined ? null : (
        <span
          className="absolute inset-y-0 w-px bg-line-strong"
          style={{ left: percent(placeOn(zero, axis)) }}
        />
      )}
      {interval ? <Whisker interval={interval} axis={axis} color={color} /> : null}
      {value === null ? null : (
        <span
          className="absolute top-1/2 size-2.5 -translate-1/2 rounded-full border-2 border-surface-1"
          style={{ left: percent(placeOn(value, axis)), backgroundColor: color }}
        />
      )}
    </span>
  )
}

interface WhiskerProps {
  interval: Interval
  axis: Interval
  color: string
}

function Whisker({ interval: [low, high], axis, color }: Readonly<WhiskerProps>) {
  const [from, to] = [placeOn(low, axis), placeOn(high, axis)]
  return (
    <span
      className="absolute top-1/2 h-2.5 -translate-y-1/2 border-x-[1.5px]"
      style={{ left: percent(from), width: percent(to - from), borderColor: color }}
    >
      <span
        className="absolute inset-x-0 top-1/2 h-[1.5px] -translate-y-1/2"
        style={{ backgroundColor: color }}
      />
    </span>
  )
}

/** The axis that the plots of a column stand on. */
export function IntervalAxis({
  axis,
  format,
}: Readonly<{ axis: Interval; format: (value: number) => string }>) {
  const shown = labelledTicks(axisTicks(axis))
  return (
    <span aria-hidden className="relative block h-4 min-w-24 font-normal">
      {shown.map((tick) => (
        <span
          key={tick}
          className="absolute whitespace-nowrap"
          // At the ends it stands within the column.
          style={{
            left: percent(placeOn(tick, axis)),
            transform: `translateX(-${percent(placeOn(tick, axis))})`,
          }}
        >
          {format(tick)}
        </span>
      ))}
    </span>
  )
}
