import { MOST_BANDS } from '@/components/chart/band'
import { SeriesMark, SeriesShape } from '@/components/series-mark'
import { formatCompact, formatShare } from '@/lib/format'
import { asInterval, axisTicks, shareAxis } from '@/lib/interval'
import { seriesLook } from '@/lib/series'

import { text } from '@/strings/evaluations'
import { strings } from '@/strings/studio'
import {
  bandPath,
  placeX,
  placeY,
  stepPath,
  tokenAxis,
  tokenTicks,
  type Curve,
  type Frame,
} from './token-curves'

const HEIGHT = 280
const PIXELS_PER_TICK = 64

interface Props {
  curves: readonly Curve[]
  budgets: readonly number[]
  width: number
}

export function TokenChart({ curves, budgets, width }: Readonly<Props>) {
  const frame: Frame = { width, height: HEIGHT, left: 48, right: 12, top: 14, bottom: 40 }
  const all = curves.flatMap(({ points }) => points)
  const x = tokenAxis(budgets)
  const y = shareAxis([
    ...all.map(({ accuracy }) => [accuracy, accuracy] as const),
    ...all.map(({ interval }) => asInterval(interval)).filter((interval) => interval !== null),
  ])
  const axes = { x, y, frame }
  const areDrawn = curves.length <= MOST_BANDS
  return (
    <figure className="flex flex-col gap-2">
      <svg
        role="img"
        aria-label={text.equal.chart(curves.length)}
        width={width}
        height={HEIGHT}
        className="block text-xs"
      >
        {axisTicks(y).map((tick) => (
          <g key={tick}>
            <line
              x1={frame.left}
              x2={width - frame.right}
              y1={placeY(tick, y, frame)}
              y2={placeY(tick, y, frame)}
              stroke="var(--line)"
            />
            <text
              x={frame.left - 8}
              y={placeY(tick, y, frame) + 4}
              textAnchor="end"
              fill="var(--ink-3)"
            >
              {`${Math.round(tick * 100)} %`}
            </text>
          </g>
        ))}
        {tokenTicks(x, (width - frame.left) / PIXELS_PER_TICK).map((tick) => (
          <g key={tick}>
            <line
              x1={placeX(tick, x, frame)}
              x2={placeX(tick, x, frame)}
              y1={HEIGHT - frame.bottom}
              y2={HEIGHT - frame.bottom + 4}
              stroke="var(--line-strong)"
            />
            <text
              x={placeX(tick, x, frame)}
              y={HEIGHT - frame.bottom + 17}
              textAnchor="middle"
              fill="var(--ink-3)"
            >
              {formatCompact(tick)}
            </text>
          </g>
        ))}
        <text
          x={frame.left + (width - frame.left - frame.right) / 2}
          y={HEIGHT - 5}
          textAnchor="middle"
          fill="var(--ink-2)"
        >
          {text.equal.axis}
        </text>
        {areDrawn
          ? curves.map((curve, index) => (
              <path
                key={curve.label}
                d={bandPath(curve, axes)}
                fill={seriesLook(index).color}
                opacity={0.09}
              />
            ))
          : null}
        {curves.map((curve, index) => (
          <Line key={curve.label} curve={curve} index={index} axes={axes} />
        ))}
      </svg>
      <figcaption className="flex flex-wrap gap-x-5 gap-y-1 text-xs">
        {curves.map((curve, index) => (
          <span key={curve.label} className="inline-flex items-center gap-2">
            <SeriesMark index={index} />
            {curve.label}
            <span className="text-ink-3">{formatShare(curve.points.at(-1)?.accuracy)}</span>
          </span>
        ))}
      </figcaption>
      <p className="text-xs text-ink-3">
        {areDrawn ? strings.chart.band : text.equal.bandsInTable(MOST_BANDS)}
      </p>
    </figure>
  )
}

interface LineProps {
  curve: Curve
  index: number
  axes: { x: readonly [number, number]; y: readonly [number, number]; frame: Frame }
}

/** The mark stands at every fourth point and at the last, so that lines can be told apart in grey. */
function Line({ curve, index, axes }: Readonly<LineProps>) {
  const { color, dash } = seriesLook(index)
  const { x, y, frame } = axes
  const last = curve.points.length - 1
  return (
    <g>
      <path
        d={stepPath(curve, axes)}
        fill="none"
        stroke={color}
        strokeWidth={2}
        strokeDasharray={dash.join()}
        strokeLinejoin="round"
      />
      {curve.points.map(({ budget, accuracy }, place) =>
        place === last || place % 4 === index % 4 ? (
          <SeriesShape
            key={budget}
            index={index}
            x={placeX(budget, x, frame)}
            y={placeY(accuracy, y, frame)}
          />
        ) : null,
      )}
    </g>
  )
}
