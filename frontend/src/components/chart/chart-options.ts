/** How lines are drawn with uPlot. */
import type UPlot from 'uplot'

import { seriesLook } from '@/lib/series'
import { strings } from '@/strings/studio'

import { drawAreas, type Area } from './areas'
import { MOST_BANDS } from './band'
import type { Range } from './zoom'

export type Value = number | null

/** What is drawn, and how its values are written. */
export interface Quantity {
  /** Another one is drawn anew. */
  readonly key: string
  /** Between 0 and 1, told in per cent. */
  readonly isShare: boolean
  /** Counted: no tick of the values stands between two. */
  readonly isCount?: boolean
  /** How far the axis of values reaches where all of them are 0; else 1. */
  readonly flat?: number
  /** Its values need more room beside the chart. */
  readonly hasUnit: boolean
  readonly format: (value: number | null | undefined) => string
  /** For the round values of the axis. */
  readonly axisFormat: (value: number) => string
}

export interface ChartLine {
  readonly id: string
  readonly name: string
  /** Which colour and dash; it belongs to what the line is of, whichever quantity is drawn. */
  readonly series: number
  readonly values: Value[]
  readonly smooth: Value[]
  /** Bounds of the values' 95% interval, drawn as an area behind all lines. */
  readonly band?: Band | null
}

export interface Band {
  readonly low: Value[]
  readonly high: Value[]
}

/** First two rows per band, so that every line is drawn over all of them. With smoothing two rows per
 * line: its own values, faint, then the smoothed ones. Nothing is copied. */
export function chartData(
  steps: number[],
  lines: readonly ChartLine[],
  isSmoothed: boolean,
): UPlot.AlignedData {
  const rows = lines.flatMap(({ values, smooth }) => (isSmoothed ? [values, smooth] : [values]))
  return [steps, ...bandsOf(lines).flatMap(({ band: { high, low } }) => [high, low]), ...rows]
}

const countBands = (lines: readonly ChartLine[]): number =>
  lines.filter(({ band }) => band != null).length

/** Which of the intervals are drawn: all, or none. */
function bandsOf(lines: readonly ChartLine[]) {
  if (countBands(lines) > MOST_BANDS) return []
  return lines.flatMap(({ series, band }) => (band ? [{ series, band }] : []))
}

/** What there is to know of the intervals of these lines; null where none has any. */
export function bandHelp(lines: readonly ChartLine[]): string | null {
  const count = countBands(lines)
  if (count === 0) return null
  return count > MOST_BANDS ? strings.chart.bandsTold(MOST_BANDS) : strings.chart.band
}

interface Wanted {
  readonly width: number
  readonly height: number
  readonly lines: readonly ChartLine[]
  readonly quantity: Quantity
  readonly isSmoothed: boolean
  /** Opacity of a step's own value behind the smoothed line. */
  readonly faint: number
  /** Of the area of an interval, in per cent; the more there are, the less each has of it. */
  readonly area: number
  readonly stepFormat: (step: number) => string
  /** Charts that share a word share their pointer. */
  readonly sync: string
  readonly color: (token: string) => string
  /** uPlot's own: this file imports nothing of it but types. */
  readonly rangeNum: (
    low: number,
    high: number,
    padding: number,
    soft: boolean,
  ) => UPlot.Range.MinMax
  readonly onCursor: (index: number | null) => void
  readonly onPick: (step: number) => void
  readonly onZoom: (range: Range | null) => void
  /** Behind the lines, asked for at every drawing. */
  readonly areas: () => readonly Area[]
  /** The step that is open, asked for at every drawing. */
  readonly selected: () => number | null
}

const FONT = '12px "Inter Variable", sans-serif'
const ROOM = 52
const ROOM_WITH_UNIT = 70
/** A press that moved less than this is a click, not a zoom. */
const CLICK_PIXELS = 4
/** Steps are counted: no tick stands between two. */
const WHOLE = [1, 2, 5]
  .flatMap((factor) => [0, 1, 2, 3, 4, 5].map((power) => factor * 10 ** power))
  .sort((a, b) => a - b)

export function chartOptions(wanted: Wanted): UPlot.Options {
  const { width, height, lines, quantity, color } = wanted
  const bands = bandsOf(lines)
  const area = Math.round(wanted.area / Math.sqrt(bands.length))
  return {
    width,
    height,
    padding: [10, 20, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false },
      y: { range: quantity.isShare ? shareRange : valueRange(wanted) },
    },
    cursor: {
      y: false,
      drag: { x: true, y: false, dist: CLICK_PIXELS, setScale: true },
      sync: { key: wanted.sync, setSeries: false },
      points: { size: (_, series) => (series > 2 * bands.length ? 7 : 0) },
    },
    axes: [
      { ...axis(color, 24, wanted.stepFormat, 60), incrs: WHOLE },
      {
        ...axis(color, quantity.hasUnit ? ROOM_WITH_UNIT : ROOM, quantity.axisFormat, 34),
        ...(quantity.isCount ? { incrs: WHOLE } : {}),
      },
    ],
    series: [
      {},
      ...bands.flatMap(({ series }) => Array<UPlot.Series>(2).fill(boundOf(series, color))),
      ...lines.flatMap((line) => seriesOf(line, wanted)),
    ],
    bands: bands.map(({ series }, place) => ({
      series: [2 * place + 1, 2 * place + 2],
      fill: color(`color-mix(in srgb, ${seriesLook(series).color} ${area}%, transparent)`),
    })),
    hooks: {
      setCursor: [({ cursor }) => wanted.onCursor(cursor.idx ?? null)],
      ready: [(plot) => listen(plot, wanted)],
      drawClear: [(plot) => drawAreas(plot, wanted.areas(), color, FONT)],
      draw: [(plot) => markStep(plot, wanted)],
      setScale: [
        (plot, key) => {
          if (key === 'x') wanted.onZoom(zoomOf(plot))
        },
      ],
    },
  }
}

/** The steps in sight; null where all are, and for a plot that has not been drawn yet. */
export function zoomOf(plot: UPlot): Range | null {
  const { min, max } = plot.scales.x ?? {}
  const [first, last] = [plot.data[0][0], plot.data[0].at(-1)]
  if (min == null || max == null || first === undefined || last === undefined) return null
  return min > first || max < last ? { min, max } : null
}

const SHARE_PADDING = 0.08

/** Some room around the values, but none where no share can be. */
function shareRange(_: UPlot, low: number | null, high: number | null): UPlot.Range.MinMax {
  if (low === null || high === null) return [0, 1]
  const room = Math.max((high - low) * SHARE_PADDING, SHARE_PADDING / 4)
  return [Math.max(0, low - room), Math.min(1, high + room)]
}

const VALUE_PADDING = 0.1

/** As uPlot chooses it, but for values that are all 0: of those it would make an axis to 100. */
const valueRange =
  ({ quantity, rangeNum }: Wanted): UPlot.Range.Function =>
  (_, low, high) =>
    low === 0 && high === 0 ? [0, quantity.flat ?? 1] : rangeNum(low, high, VALUE_PADDING, true)

/** A line through the step that is open. */
function markStep(plot: UPlot, { selected, color }: Wanted): void {
  const step = selected()
  const { min, max } = plot.scales.x ?? {}
  if (step === null || min === undefined || max === undefined || step < min || step > max) return
  const x = Math.round(plot.valToPos(step, 'x', true))
  const { top, height } = plot.bbox
  plot.ctx.save()
  plot.ctx.strokeStyle = color('var(--ink-2)')
  plot.ctx.setLineDash([])
  plot.ctx.lineWidth = 1.5 * devicePixelRatio
  plot.ctx.beginPath()
  plot.ctx.moveTo(x, top)
  plot.ctx.lineTo(x, top + height)
  plot.ctx.stroke()
  plot.ctx.restore()
}

function listen(plot: UPlot, { onPick }: Wanted): void {
  let pressedAt = 0
  plot.over.addEventListener('mousedown', (event) => (pressedAt = event.clientX))
  plot.over.addEventListener('click', (event) => {
    const step = plot.data[0][plot.cursor.idx ?? -1]
    if (step !== undefined && Math.abs(event.clientX - pressedAt) < CLICK_PIXELS) onPick(step)
  })
}

const axis = (
  color: Wanted['color'],
  size: number,
  format: Quantity['axisFormat'],
  space: number,
): UPlot.Axis => ({
  size,
  space,
  font: FONT,
  stroke: color('var(--ink-3)'),
  grid: { stroke: color('var(--line)'), width: 1 },
  ticks: { stroke: color('var(--line)'), width: 1, size: 4 },
  values: (_, ticks) => ticks.map((tick) => format(tick)),
})

/** Told now and then only, so that the line alone would hide where it is known. */
function isSparse(values: ChartLine['values']): boolean {
  const known = values.reduce<number>((count, value) => (value === null ? count : count + 1), 0)
  return known < 2 || known * 2 < values.length
}

/** Faint, in the line's own colour: where two areas lie over each other it says whose each is. */
const boundOf = (series: number, color: Wanted['color']): UPlot.Series => ({
  stroke: color(seriesLook(series).color),
  alpha: 0.45,
  width: 1,
  spanGaps: true,
  points: { show: false },
})

function seriesOf(line: ChartLine, { isSmoothed, faint, color }: Wanted): UPlot.Series[] {
  const { color: token, dash } = seriesLook(line.series)
  const stroke = color(token)
  const strong: UPlot.Series = {
    label: line.name,
    stroke,
    width: 2,
    dash: [...dash],
    spanGaps: true,
    points: { show: isSparse(line.values) },
  }
  if (!isSmoothed) return [strong]
  return [{ stroke, alpha: faint, width: 1, spanGaps: true, points: { show: false } }, strong]
}
