import { useQuery } from '@tanstack/react-query'
import { ChartLine, Maximize, Table2 } from 'lucide-react'
import { useMemo, useState } from 'react'

import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { MenuChoice } from '@/components/menu-choice'
import { SeriesMark } from '@/components/series-mark'
import { Slider } from '@/components/slider'
import { WorkingBlock } from '@/components/working'
import { formatCount } from '@/lib/format'
import { useWide } from '@/lib/use-wide'

import type { ChartLine as Line } from './chart-options'
import { aligned, metricNames, nearestStep, smoothed, type Steps } from './curves'
import { MetricChart } from './metric-chart'
import { metricName } from './metric-name'
import { MetricTable } from './metric-table'
import { SamplePanel } from './sample-panel'
import { METRICS, text } from './training-strings'
import { MOST_SMOOTHING, useCurveAddress } from './use-curve-address'
import { siblingsQuery, useSteps, type Training } from './use-training'

const FIRST = Object.keys(METRICS)
const BIG = 300
const SMALL = 190
const NONE: Steps = []

/** The curves of a training, live, with others over them, and the systems behind a step. */
export function Timeline({ job }: Readonly<{ job: Training }>) {
  const address = useCurveAddress()
  const found = useQuery(siblingsQuery(job.method)).data
  const siblings = found ?? []
  const others = siblings.filter(({ id }) => id !== job.id && address.others.includes(id))
  const shown = [job, ...others]
  const steps = useSteps(
    shown.map(({ id }) => id),
    `${job.status === 'succeeded' || job.status === 'failed'}/${job.attempt}`,
  )
  const [asTable, setAsTable] = useState(false)
  const [resetKey, setResetKey] = useState(0)
  const [zoomed, setZoomed] = useState(false)
  const own = steps.get(job.id) ?? NONE
  const all = shown.map(({ id }) => steps.get(id) ?? NONE)
  const names = metricNames(all, FIRST)
  const metrics = address.metrics.filter((name) => names.includes(name))
  const pick = (step: number): void => {
    const known = nearestStep(
      own.map(({ step: each }) => each),
      step,
    )
    address.openStep(known)
  }
  return (
    <div className="flex flex-col gap-4">
      <Card
        flush
        title={text.views.curve}
        actions={
          <Button
            size="sm"
            isDisabled={own.length === 0}
            onPress={() => setAsTable(!asTable)}
            icon={asTable ? <ChartLine size={14} aria-hidden /> : <Table2 size={14} aria-hidden />}
          >
            {asTable ? text.curve.chart : text.curve.table}
          </Button>
        }
      >
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-4 py-2">
          <MenuChoice
            label={text.curve.metrics}
            atLeastOne
            choices={names.map((key) => ({ key, label: metricName(key) }))}
            chosen={metrics}
            onChange={address.setMetrics}
          />
          <MenuChoice
            label={text.curve.overlay}
            empty={found ? text.curve.overlayNone : ''}
            choices={siblings
              .filter(({ id }) => id !== job.id)
              .map(({ id, name, dataset, step }) => ({
                key: id,
                label: name,
                description: `${dataset ?? ''} · ${text.stepsOnly(String(step))}`,
              }))}
            chosen={others.map(({ id }) => id)}
            onChange={address.setOthers}
          />
          <Slider
            label={text.curve.smoothing}
            value={address.smoothing}
            onChange={address.setSmoothing}
            minimum={0}
            maximum={MOST_SMOOTHING}
            step={0.02}
          />
          {zoomed ? (
            <Button
              size="sm"
              onPress={() => {
                setResetKey(resetKey + 1)
                setZoomed(false)
              }}
              icon={<Maximize size={14} aria-hidden />}
            >
              {text.curve.reset}
            </Button>
          ) : null}
          <p className="ml-auto text-xs text-ink-3">{text.curve.hint}</p>
        </div>
        {shown.length > 1 ? <Legend jobs={shown} /> : null}
        {own.length === 0 && job.step > 0 ? <WorkingBlock /> : null}
        {own.length === 0 && job.step === 0 ? (
          <p className="px-4 py-10 text-ink-3">{text.curve.empty}</p>
        ) : null}
        {own.length > 0 && asTable ? (
          <MetricTable jobs={shown} steps={all} metrics={metrics} onPick={pick} />
        ) : null}
        {own.length > 0 && !asTable ? (
          <Charts
            jobs={shown}
            steps={all}
            metrics={metrics}
            smoothing={address.smoothing}
            selected={address.step}
            onPick={pick}
            resetKey={resetKey}
            onZoom={setZoomed}
          />
        ) : null}
      </Card>
      <p role="status" className="sr-only">
        {address.step === null ? '' : text.samples.title(formatCount(address.step))}
      </p>
      {address.step === null ? null : (
        <SamplePanel key={address.step} job={job} step={address.step} />
      )}
    </div>
  )
}

function Legend({ jobs }: Readonly<{ jobs: readonly Training[] }>) {
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 px-4 pt-2.5 text-xs">
      {jobs.map(({ id, name }, index) => (
        <li key={id} className="inline-flex items-center gap-2">
          <SeriesMark index={index} />
          {name}
        </li>
      ))}
    </ul>
  )
}

interface ChartsProps {
  jobs: readonly Training[]
  steps: readonly Steps[]
  metrics: readonly string[]
  smoothing: number
  selected: number | null
  onPick: (step: number) => void
  resetKey: number
  onZoom: (zoomed: boolean) => void
}

/** The first metric large, the others beside each other below it; zoom and pointer are shared. */
function Charts(props: Readonly<ChartsProps>) {
  const { jobs, steps, metrics, smoothing, ...rest } = props
  const wide = useWide()
  return (
    <div className="grid gap-x-6 gap-y-4 px-4 pt-3 pb-4 lg:grid-cols-2">
      {metrics.map((metric, index) => (
        <section key={metric} className={cx('min-w-0', index === 0 && 'lg:col-span-2')}>
          <h3 className="pb-1 text-xs font-semibold text-ink-2">{metricName(metric)}</h3>
          <OneChart
            jobs={jobs}
            steps={steps}
            metric={metric}
            smoothing={smoothing}
            height={index === 0 && wide ? BIG : SMALL}
            {...rest}
          />
        </section>
      ))}
      {smoothing > 0 ? <p className="text-xs text-ink-3 lg:col-span-2">{text.curve.raw}</p> : null}
    </div>
  )
}

interface OneProps extends Omit<ChartsProps, 'metrics'> {
  metric: string
  height: number
}

function OneChart(props: Readonly<OneProps>) {
  const { jobs, steps, metric, smoothing, ...rest } = props
  const ids = jobs.map(({ id, name }) => `${id}\n${name}`).join('\t')
  const { axis, lines } = useMemo(() => {
    const found = aligned(steps, metric)
    const made = ids.split('\t').map((pair, series): Line => {
      const [id = '', name = ''] = pair.split('\n')
      const values = found.rows[series] ?? []
      return { id, name, series, values, smooth: smoothed(values, smoothing) }
    })
    return { axis: found.steps, lines: made }
  }, [steps, metric, smoothing, ids])
  return (
    <MetricChart steps={axis} lines={lines} metric={metric} isSmoothed={smoothing > 0} {...rest} />
  )
}
