import { useCallback, useMemo, useState } from 'react'

import { bandOf } from '@/components/chart/band'
import { LineChart } from '@/components/chart/line-chart'
import type { Quantity } from '@/components/chart/chart-options'
import { isSameRange, type Range } from '@/components/chart/zoom'
import { cx } from '@/components/cx'
import { DataTable, type Column, numberColumn } from '@/components/data-table'
import { IntervalPlot } from '@/components/interval-plot'
import { SeriesMark } from '@/components/series-mark'
import { TextLink } from '@/components/text-link'
import type { AgentCurve } from '@/lib/api/agents'
import {
  formatCompact,
  formatCount,
  formatDateTime,
  formatMetric,
  formatMoment,
} from '@/lib/format'
import { asInterval } from '@/lib/interval'
import { seriesLook } from '@/lib/series'

import { text } from '@/strings/agents'

import { overSteps, overTime, valuesOf } from './curve-lines'

const { curves: words } = text
const BIG = 260
const SMALL = 160
const WHOLE = [0, 1] as const

const plain = { isShare: false, hasUnit: false, format: formatMetric, axisFormat: formatMetric }
const QUANTITIES = [
  { what: 'mean_reward', quantity: { ...plain, key: 'mean_reward' } },
  {
    what: 'count',
    quantity: {
      ...plain,
      key: 'count',
      isCount: true,
      format: formatCount,
      axisFormat: formatCompact,
    },
  },
  { what: 'mean_cost', quantity: { ...plain, key: 'mean_cost' } },
] as const satisfies readonly { what: string; quantity: Quantity }[]

interface Props {
  curves: readonly AgentCurve[]
  /** Over time, or over the steps of a training. */
  over: 'time' | 'steps'
}

/** R, n and C of several agents over each other, and how sure R is of each by now. */
export function AgentCurves({ curves, over }: Readonly<Props>) {
  const overlaid = useMemo(
    () => (over === 'time' ? overTime(curves) : overSteps(curves)),
    [curves, over],
  )
  const [zoom, setZoom] = useState<Range | null>(null)
  const [selected, setSelected] = useState<number | null>(null)
  const onZoom = useCallback(
    (range: Range | null) => setZoom((known) => (isSameRange(known, range) ? known : range)),
    [],
  )
  const lines = useMemo(
    () =>
      QUANTITIES.map(({ what }) =>
        curves.map(({ agent }, series) => ({
          id: String(agent.id),
          name: nameOf(agent),
          series,
          values: valuesOf(overlaid.points[series] ?? [], what),
          smooth: [],
          band: what === 'mean_reward' ? bandOf(overlaid.points[series] ?? []) : null,
        })),
      ),
    [curves, overlaid],
  )
  const stepName = (step: number): string => {
    const name = overlaid.nameOf(step)
    return typeof name === 'number' ? words.step(formatCount(name)) : formatDateTime(name)
  }
  const stepFormat = (step: number): string => {
    const name = overlaid.nameOf(step)
    return typeof name === 'number' ? formatCompact(name) : formatMoment(name, spanOf(overlaid))
  }
  return (
    <>
      <div className="grid gap-x-6 gap-y-4 px-4 pt-3 pb-4 lg:grid-cols-2">
        {QUANTITIES.map(({ what, quantity }, index) => (
          <section key={what} className={cx('min-w-0', index === 0 && 'lg:col-span-2')}>
            <h3 className="pb-1 text-xs font-semibold text-ink-2">{words[what]}</h3>
            <LineChart
              label={words.chart(words[what])}
              help={text.series.keys}
              steps={overlaid.steps}
              lines={lines[index] ?? []}
              quantity={quantity}
              stepName={stepName}
              stepFormat={stepFormat}
              sync={`agents-${over}`}
              height={index === 0 ? BIG : SMALL}
              isSmoothed={false}
              selected={selected}
              onPick={(step) => setSelected(step === selected ? null : step)}
              zoom={zoom}
              onZoom={onZoom}
            />
          </section>
        ))}
      </div>
      <div className="border-t border-line">
        <DataTable
          label={words.table}
          rows={curves.map((curve, series) => ({ curve, series }))}
          keyOf={({ curve }) => String(curve.agent.id)}
          columns={columns}
        />
      </div>
    </>
  )
}

const nameOf = ({ role_name, endpoint, endpoint_name }: AgentCurve['agent']): string =>
  text.page.on(role_name, endpoint_name || endpoint)

/** Milliseconds from the first place of an axis of time to its last. */
function spanOf({ steps, nameOf: timeOf }: ReturnType<typeof overTime>): number {
  const [first, last] = [steps[0] ?? 0, steps.at(-1) ?? 0]
  return Date.parse(String(timeOf(last))) - Date.parse(String(timeOf(first)))
}

interface Row {
  curve: AgentCurve
  series: number
}

const newest = ({ curve }: Row) => curve.points.at(-1)

const columns: Column<Row>[] = [
  {
    key: 'agent',
    head: text.columns.agent,
    isRowHead: true,
    className: 'min-w-44',
    render: ({ curve: { agent }, series }) => (
      <span className="flex items-center gap-2">
        <SeriesMark index={series} />
        <TextLink to={`/agents/${agent.id}`} className="min-w-0">
          {nameOf(agent)}
        </TextLink>
      </span>
    ),
  },
  numberColumn(
    'count',
    text.columns.count,
    ({ curve }) => formatCount(curve.rewarded),
    text.help.count,
  ),
  numberColumn(
    'reward',
    text.columns.meanReward,
    (row) => formatMetric(newest(row)?.mean_reward),
    text.help.meanReward,
  ),
  {
    key: 'interval',
    head: words.interval,
    title: words.intervalHelp,
    className: 'w-1/3 min-w-32',
    render: (row) => {
      const point = newest(row)
      const interval = asInterval(point?.interval ?? null)
      if (!point || !interval) return null
      const [low, high] = interval
      return (
        <IntervalPlot
          value={point.mean_reward}
          interval={interval}
          axis={WHOLE}
          color={seriesLook(row.series).color}
          label={words.between(
            nameOf(row.curve.agent),
            formatMetric(point.mean_reward),
            formatMetric(low),
            formatMetric(high),
          )}
        />
      )
    },
  },
  numberColumn(
    'cost',
    text.columns.meanCost,
    (row) => formatMetric(newest(row)?.mean_cost),
    text.help.meanCost,
  ),
]
