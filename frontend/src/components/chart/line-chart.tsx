import 'uplot/dist/uPlot.min.css'

import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import UPlot from 'uplot'

import { placeOf } from '@/lib/ascending'
import { seriesLook } from '@/lib/series'
import { resolvedColor, useTheme } from '@/lib/use-theme'
import { useWidth } from '@/lib/use-size'

import type { Area } from './areas'
import { valueAt } from './band'
import {
  bandHelp,
  chartData,
  chartOptions,
  zoomOf,
  type ChartLine,
  type Quantity,
} from './chart-options'
import { isSameRange, zoomedBy, type Range } from './zoom'

/** A step's own value behind the smoothed line: as faint as can still be seen. */
const FAINT = { light: 0.32, dark: 0.5 } as const
/** As strong as leaves lines behind it in sight, in per cent. */
const AREA = { light: 14, dark: 22 } as const
const KEY_FACTOR = 2
const NO_AREAS: readonly Area[] = []

export interface LineChartProps {
  label: string
  /** What the keys do, for whoever does not see the chart. */
  help: string
  /** Whole numbers on the axis; every line has a value or a gap for each. */
  steps: number[]
  lines: readonly ChartLine[]
  quantity: Quantity
  /** A step in words, and in short below the chart. */
  stepName: (step: number) => string
  stepFormat: (step: number) => string
  /** Charts that share a word share their pointer. */
  sync: string
  height: number
  isSmoothed: boolean
  /** Behind the lines. */
  areas?: readonly Area[]
  /** The step that is open. */
  selected: number | null
  onPick: (step: number) => void
  /** The steps in sight; null: all. */
  zoom: Range | null
  onZoom: (range: Range | null) => void
}

/** One quantity over steps, a line for each that has it; a drag zooms, a click or Enter opens a step. */
export function LineChart(props: Readonly<LineChartProps>) {
  const { steps, lines, quantity, height, isSmoothed, selected, onPick, zoom, onZoom } = props
  const { areas = NO_AREAS } = props
  const [measure, width] = useWidth()
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot | null>(null)
  const [index, setIndex] = useState<number | null>(null)
  const theme = useTheme()
  const help = useId()
  const aboutBands = bandHelp(lines)
  const shape = lines.map(({ id, series, band }) => `${id}:${series}:${band ? 1 : 0}`).join()
  const isMeasured = width > 0
  const latest = useRef({ ...props, width })

  useEffect(() => {
    latest.current = { ...props, width }
  })
  useEffect(() => {
    if (!host.current || !isMeasured) return undefined
    const now = latest.current
    const options = chartOptions({
      width: now.width,
      height: now.height,
      lines: now.lines,
      quantity: now.quantity,
      isSmoothed,
      faint: FAINT[theme],
      area: AREA[theme],
      stepFormat: (step) => latest.current.stepFormat(step),
      sync: now.sync,
      color: resolvedColor,
      rangeNum: (low, high, padding, soft) => UPlot.rangeNum(low, high, padding, soft),
      onCursor: setIndex,
      onPick: (step) => latest.current.onPick(step),
      onZoom: (range) => latest.current.onZoom(range),
      areas: () => latest.current.areas ?? NO_AREAS,
      selected: () => latest.current.selected,
    })
    const made = new UPlot(options, chartData(now.steps, now.lines, isSmoothed), host.current)
    if (now.zoom) made.setScale('x', now.zoom)
    plot.current = made
    return () => {
      made.destroy()
      plot.current = null
    }
  }, [isMeasured, isSmoothed, shape, theme, quantity.key])
  useEffect(() => {
    if (isMeasured) plot.current?.setSize({ width, height })
  }, [isMeasured, width, height])
  useEffect(() => {
    const made = plot.current
    if (!made) return
    const keepsZoom = latest.current.zoom !== null
    made.setData(chartData(steps, lines, isSmoothed), !keepsZoom)
    if (keepsZoom) made.redraw()
  }, [steps, lines, isSmoothed])
  useEffect(() => {
    const made = plot.current
    const full = fullRange(latest.current.steps)
    if (made && full && !isSameRange(zoomOf(made), zoom)) made.setScale('x', zoom ?? full)
  }, [zoom])
  useEffect(() => plot.current?.redraw(false), [selected])

  const place = index ?? (selected === null ? lastKnown(lines) : placeIn(steps, selected))
  const step = steps[place] ?? selected ?? steps.at(-1) ?? 0
  const move = (to: number): void => {
    const made = plot.current
    const next = Math.min(steps.length - 1, Math.max(0, to))
    const at = steps[next]
    if (!made || at === undefined) return
    made.setCursor({ left: made.valToPos(at, 'x'), top: 0 })
    setIndex(next)
  }
  const narrow = (factor: number): void => {
    const full = fullRange(steps)
    if (full) onZoom(zoomedBy(zoom ?? full, full, factor, step))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const from = place < 0 ? placeOf(steps, step) : place
    const actions: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => move(from - 1),
      ArrowDown: () => move(from - 1),
      ArrowRight: () => move(from + 1),
      ArrowUp: () => move(from + 1),
      PageUp: () => move(from + 10),
      PageDown: () => move(from - 10),
      Home: () => move(0),
      End: () => move(steps.length - 1),
      Enter: () => onPick(step),
      ' ': () => onPick(step),
      '+': () => narrow(KEY_FACTOR),
      '=': () => narrow(KEY_FACTOR),
      '-': () => narrow(1 / KEY_FACTOR),
      '0': () => onZoom(null),
    }
    const action = actions[event.key]
    if (!action) return
    action()
    event.preventDefault()
  }
  const at = areas.find(({ from, to }) => from <= step && step <= to)?.name
  const values = lines
    .map((line) => [line.name, ...valueAt(line, place, quantity.format)].join(' '))
    .join(', ')
  return (
    <div ref={measure} className="min-w-0">
      {aboutBands === null ? null : <p className="pb-1 text-xs text-ink-3">{aboutBands}</p>}
      <div
        ref={host}
        role="slider"
        tabIndex={0}
        aria-label={props.label}
        aria-describedby={help}
        aria-valuemin={steps[0] ?? 0}
        aria-valuemax={steps.at(-1) ?? 0}
        aria-valuenow={step}
        aria-valuetext={`${[props.stepName(step), at].filter(Boolean).join(', ')}: ${values}`}
        onKeyDown={onKeyDown}
        className="line-chart rounded-sm"
        style={{ height }}
      />
      <p id={help} className="sr-only">
        {props.help}
      </p>
      <Readout step={props.stepName(step)} lines={lines} place={place} format={quantity.format} />
    </div>
  )
}

interface ValueProps extends Pick<ReadoutProps, 'place' | 'format'> {
  line: ChartLine
}

interface ReadoutProps {
  step: string
  lines: readonly ChartLine[]
  place: number
  format: (value: number | null | undefined) => string
}

/** The numbers under the pointer, else the newest. */
function Readout({ step, lines, place, format }: Readonly<ReadoutProps>) {
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-0.5 px-1 pt-1 text-xs text-ink-2">
      <span className="text-ink-3">{step}</span>
      {lines.map((line) => (
        <span key={line.id} className="inline-flex items-center gap-1.5">
          <span
            aria-hidden
            className="h-0.5 w-3 rounded-full"
            style={{ backgroundColor: seriesLook(line.series).color }}
          />
          {lines.length > 1 ? <span className="max-w-40 truncate">{line.name}</span> : null}
          <ReadValue line={line} place={place} format={format} />
        </span>
      ))}
    </p>
  )
}

function ReadValue({ line, place, format }: Readonly<ValueProps>) {
  const [value, interval] = valueAt(line, place, format)
  return (
    <>
      <span className="font-medium whitespace-nowrap text-ink">{value}</span>
      {interval ? <span className="whitespace-nowrap text-ink-3">{interval}</span> : null}
    </>
  )
}

function fullRange(steps: readonly number[]): Range | null {
  const [min, max] = [steps[0], steps.at(-1)]
  return min === undefined || max === undefined ? null : { min, max }
}

/** −1 where there is no such step. */
function placeIn(steps: readonly number[], step: number): number {
  const place = placeOf(steps, step)
  return steps[place] === step ? place : -1
}

/** The newest place at which any line has a value: some metrics are told now and then only. */
const lastKnown = (lines: readonly ChartLine[]): number =>
  Math.max(...lines.map(({ values }) => values.findLastIndex((value) => value !== null)))
