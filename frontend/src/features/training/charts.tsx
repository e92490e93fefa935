import { useMemo } from 'react'

import type { Area } from '@/components/chart/areas'
import type { ChartLine, Quantity } from '@/components/chart/chart-options'
import { LineChart, type LineChartProps } from '@/components/chart/line-chart'
import type { Range } from '@/components/chart/zoom'
import { cx } from '@/components/cx'
import { formatCompact } from '@/lib/format'
import { useWide } from '@/lib/use-wide'
import { text } from '@/strings/training'

import type { Curve } from './curve'
import { onAxis, shownAxis, smoothed } from './curves'
import type { Metric } from './metrics'
import type { Shown } from './use-overlays'
import { hasEnded } from './use-training'

const BIG = 300
const SMALL = 190

interface ChartsProps {
  shown: readonly Shown[]
  /** Of `shown`, in the same order; they grow in place, which `version` tells. */
  curves: readonly Curve[]
  version: string
  /** Behind every curve. */
  areas: readonly Area[]
  metrics: readonly Metric[]
  /** The metrics that any step has. */
  names: readonly string[]
  smoothing: number
  selected: number | null
  onPick: (step: number) => void
  zoom: Range | null
  onZoom: (range: Range | null) => void
}

/** The first metric large, the others beside each other below it; zoom and pointer are shared. */
export function Charts(props: Readonly<ChartsProps>) {
  const { shown, curves, version, metrics, names, smoothing, ...rest } = props
  const wide = useWide()
  const chosen = metrics.map(({ key }) => key).join()
  // The curves are the same objects as long as they grow: only their version changes with a step.
  // oxlint-disable-next-line react/exhaustive-deps
  const axis = useMemo(() => shownAxis(curves, chosen.split(',')), [version, chosen])
  const over = shown.every(({ job }) => hasEnded(job))
  return (
    <div className="grid gap-x-6 gap-y-4 px-4 pt-3 pb-4 lg:grid-cols-2">
      {metrics.map((metric, index) => (
        <section key={metric.key} className={cx('min-w-0', index === 0 && 'lg:col-span-2')}>
          <h3 className="pb-1 text-xs font-semibold text-ink-2">{metric.title}</h3>
          {metric.help ? (
            <p className="max-w-prose pb-1 text-xs text-ink-3">{metric.help}</p>
          ) : null}
          {names.includes(metric.key) ? (
            <OneChart
              shown={shown}
              curves={curves}
              version={version}
              axis={axis}
              metric={metric}
              smoothing={smoothing}
              height={index === 0 && wide ? BIG : SMALL}
              {...rest}
            />
          ) : (
            <p className="py-6 text-ink-3">{over ? text.curve.never : text.curve.notYet}</p>
          )}
        </section>
      ))}
      {smoothing > 0 ? <p className="text-xs text-ink-3 lg:col-span-2">{text.curve.raw}</p> : null}
    </div>
  )
}

interface OneProps extends Omit<ChartsProps, 'metrics' | 'names'> {
  axis: number[]
  metric: Metric
  height: number
}

function OneChart(props: Readonly<OneProps>) {
  const { shown, curves, version, axis, metric, smoothing, ...rest } = props
  const named = shown.map(({ job, series }) => `${job.id}\n${series}\n${job.name}`).join('\t')
  const lines = useMemo(
    () => shown.map((one, place) => lineOf(one, curves[place], axis, metric.key, smoothing)),
    // As above; and the jobs behind `shown` change with every step, what is drawn of them does not.
    // oxlint-disable-next-line react/exhaustive-deps
    [named, version, axis, metric.key, smoothing],
  )
  return (
    <MetricChart steps={axis} lines={lines} metric={metric} isSmoothed={smoothing > 0} {...rest} />
  )
}

/** Smoothed along its own steps, so that another training's steps are no gaps in it. */
function lineOf(
  { job, series }: Shown,
  curve: Curve | undefined,
  axis: readonly number[],
  metric: string,
  smoothing: number,
): ChartLine {
  const own = curve?.column(metric) ?? []
  const spread = (values: ChartLine['values']): ChartLine['values'] =>
    curve ? onAxis(axis, curve, values) : []
  const smooth = smoothing > 0 ? spread(smoothed(own, smoothing)) : []
  const bounds = curve?.bounds(metric) ?? null
  const band = bounds && { low: spread(bounds.low), high: spread(bounds.high) }
  return { id: job.id, name: job.name, series, values: spread(own), smooth, band }
}

type Given = 'label' | 'help' | 'quantity' | 'stepName' | 'stepFormat' | 'sync'

interface Props extends Omit<LineChartProps, Given> {
  metric: Metric
}

/** One metric of all trainings over their steps; a click or Enter opens the systems of a step. */
export const MetricChart = ({ metric, ...rest }: Readonly<Props>) => (
  <LineChart
    label={text.curve.label(metric.title)}
    help={text.curve.keys}
    quantity={quantityOf(metric)}
    stepName={(step) => text.curve.at(String(step))}
    stepFormat={formatCompact}
    sync="training"
    {...rest}
  />
)

const quantityOf = ({ key, unit, format, axisFormat }: Metric): Quantity => ({
  key,
  isShare: unit === 'share',
  ...(unit === 'usd' ? { flat: 0.01 } : {}),
  hasUnit: unit === 'usd' || unit === 'seconds',
  format,
  axisFormat,
})
