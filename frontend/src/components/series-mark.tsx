import { seriesLook, type Mark } from '@/lib/series'

const SHAPES: Readonly<Record<Mark, string>> = {
  circle: 'M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0',
  square: 'M-3.5,-3.5h7v7h-7z',
  diamond: 'M0,-4.8L4.8,0L0,4.8L-4.8,0z',
  triangle: 'M0,-4.6L4.6,3.6H-4.6z',
}

/** The mark of a line inside a chart. */
export function SeriesShape({ index, x, y }: Readonly<{ index: number; x: number; y: number }>) {
  const { color, mark } = seriesLook(index)
  return (
    <path
      d={SHAPES[mark]}
      transform={`translate(${x},${y})`}
      fill={color}
      stroke="var(--surface-1)"
      strokeWidth={1.5}
    />
  )
}

/** The line and the mark of a series, for a legend. */
export function SeriesMark({ index }: Readonly<{ index: number }>) {
  const { color, dash } = seriesLook(index)
  return (
    <svg aria-hidden width={28} height={12} viewBox="0 0 28 12" className="shrink-0">
      <line
        x1={0}
        x2={28}
        y1={6}
        y2={6}
        stroke={color}
        strokeWidth={2}
        strokeDasharray={dash.join()}
      />
      <SeriesShape index={index} x={14} y={6} />
    </svg>
  )
}
