import 'uplot/dist/uPlot.min.css'

import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import UPlot from 'uplot'

import { seriesLook } from '@/lib/series'
import { resolvedColor, useTheme } from '@/lib/use-theme'
import { useWidth } from '@/lib/use-size'

import { chartData, chartOptions, isZoomed, type ChartLine } from './chart-options'
import { isShare, metricFormat, metricName } from './metric-name'
import { text } from './training-strings'

interface Props {
  /** Steps on the axis; every line has a value or a gap for each. */
  steps: readonly number[]
  lines: readonly ChartLine[]
  metric: string
  height: number
  isSmoothed: boolean
  /** The step whose systems are open. */
  selected: number | null
  onPick: (step: number) => void
  /** Changes when the zoom is to be given up. */
  resetKey: number
  onZoom: (zoomed: boolean) => void
}

/** One metric of all trainings over their steps; a drag zooms, a click or Enter opens a step. */
export function MetricChart(props: Readonly<Props>) {
  const { steps, lines, metric, height, isSmoothed, selected, onPick, resetKey, onZoom } = props
  const [measure, width] = useWidth()
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot | null>(null)
  const handlers = useRef({ onPick, onZoom })
  const [index, setIndex] = useState<number | null>(null)
  const theme = useTheme()
  const help = useId()
  const shape = lines.map(({ id, series }) => `${id}:${series}`).join()
  const latest = useRef({ steps, lines, selected })

  useEffect(() => {
    handlers.current = { onPick, onZoom }
    latest.current = { steps, lines, selected }
  })
  useEffect(() => {
    if (!host.current || width === 0) return undefined
    const options = chartOptions({
      width,
      height,
      lines: latest.current.lines,
      isShare: isShare(metric),
      isSmoothed,
      color: resolvedColor,
      onCursor: setIndex,
      onPick: (step) => handlers.current.onPick(step),
      onZoom: (zoomed) => handlers.current.onZoom(zoomed),
      selected: () => latest.current.selected,
    })
    const made = new UPlot(
      options,
      chartData(latest.current.steps, latest.current.lines, isSmoothed),
      host.current,
    )
    plot.current = made
    return () => {
      made.destroy()
      plot.current = null
    }
  }, [width, height, isSmoothed, shape, theme, resetKey, metric])
  useEffect(() => {
    const made = plot.current
    if (!made) return
    const keepsZoom = isZoomed(made)
    made.setData(chartData(steps, lines, isSmoothed), !keepsZoom)
    if (keepsZoom) made.redraw()
  }, [steps, lines, isSmoothed])

  useEffect(() => plot.current?.redraw(false), [selected])

  const place = index ?? (selected === null ? steps.length - 1 : steps.indexOf(selected))
  const step = steps[place] ?? steps.at(-1) ?? 0
  const move = (to: number): void => {
    const made = plot.current
    const next = Math.min(steps.length - 1, Math.max(0, to))
    const at = steps[next]
    if (!made || at === undefined) return
    made.setCursor({ left: made.valToPos(at, 'x'), top: 0 })
    setIndex(next)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const to: Readonly<Record<string, number>> = {
      ArrowLeft: place - 1,
      ArrowDown: place - 1,
      ArrowRight: place + 1,
      ArrowUp: place + 1,
      PageUp: place + 10,
      PageDown: place - 10,
      Home: 0,
      End: steps.length - 1,
    }
    const target = to[event.key]
    if (target !== undefined) move(target)
    else if (event.key === 'Enter' || event.key === ' ') onPick(step)
    else return
    event.preventDefault()
  }
  const format = metricFormat(metric)
  const values = lines.map((line) => `${line.name} ${format(line.values[place])}`).join(', ')
  return (
    <div ref={measure} className="min-w-0">
      <div
        ref={host}
        role="slider"
        tabIndex={0}
        aria-label={text.curve.label(metricName(metric))}
        aria-describedby={help}
        aria-valuemin={steps[0] ?? 0}
        aria-valuemax={steps.at(-1) ?? 0}
        aria-valuenow={step}
        aria-valuetext={`${text.curve.at(String(step))}: ${values}`}
        onKeyDown={onKeyDown}
        className="training-chart rounded-sm"
        style={{ height }}
      />
      <p id={help} className="sr-only">
        {text.curve.keys}
      </p>
      <Readout step={step} lines={lines} place={place} format={format} />
    </div>
  )
}

interface ReadoutProps {
  step: number
  lines: readonly ChartLine[]
  place: number
  format: (value: number | null | undefined) => string
}

/** The numbers under the pointer, else the newest. */
function Readout({ step, lines, place, format }: Readonly<ReadoutProps>) {
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-0.5 px-1 pt-1 text-xs text-ink-2">
      <span className="text-ink-3">{text.curve.at(String(step))}</span>
      {lines.map((line) => (
        <span key={line.id} className="inline-flex items-center gap-1.5">
          <span
            aria-hidden
            className="h-0.5 w-3 rounded-full"
            style={{ backgroundColor: seriesLook(line.series).color }}
          />
          {lines.length > 1 ? <span className="max-w-40 truncate">{line.name}</span> : null}
          <span className="font-medium text-ink">{format(line.values[place])}</span>
        </span>
      ))}
    </p>
  )
}
