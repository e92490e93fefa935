import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

import { bandOf } from '@/components/chart/band'
import { Fact } from '@/components/fact'
import { QueryState } from '@/components/query-state'
import {
  formatCost,
  formatCount,
  formatDate,
  formatDay,
  formatProbability,
  formatSeconds,
} from '@/lib/format'

import { Accuracy } from './accuracy'
import { text } from '@/strings/agents'

import { QUANTITIES } from './quantities'
import { SeriesCard, type Series } from './series-card'
import { SpanSelect, useSpan } from './span-select'
import { usageQuery, type Agent, type Figures, type Usage } from './use-agents'

const { columns: heads, help, usage: words } = text

/** What an agent did in the runs of a span: figures, and their course. */
export function UsageCard({ agent }: Readonly<{ agent: Agent }>) {
  const [span] = useSpan()
  const found = useQuery(usageQuery(agent.id, span))
  const { data } = found
  const series = useMemo(() => seriesOf(data), [data])
  const isUsed = (data?.total.runs ?? 0) > 0
  const periods = data?.over_time ?? []
  const dateOf = (place: number): string => periods[place]?.start ?? ''
  return (
    <SeriesCard
      title={words.title}
      label={words.label}
      steps={isUsed ? series.steps : []}
      series={series.lines}
      stepHead={data?.step === 'week' ? words.fromWeek : words.from}
      stepName={(place) => {
        const date = dateOf(place) && formatDate(dateOf(place))
        return data?.step === 'week' ? words.week(date) : date
      }}
      stepFormat={(place) => dateOf(place) && formatDay(dateOf(place))}
      chartName={words.chart}
      actions={<SpanSelect />}
    >
      <QueryState of={found} />
      {data && isUsed ? <Total agent={agent} total={data.total} /> : null}
      {data && !isUsed ? <p className="px-4 py-8 text-ink-2">{words.unused}</p> : null}
    </SeriesCard>
  )
}

function Total({ agent, total }: Readonly<{ agent: Agent; total: Figures }>) {
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-3 px-4 py-3 sm:grid-cols-5">
      <Fact name={heads.runs} title={help.runs}>
        {formatCount(total.runs)}
      </Fact>
      <Fact name={words.turns}>{formatCount(total.agents)}</Fact>
      <Fact name={heads.accuracy} title={help.accuracy} className="col-span-2">
        <Accuracy name={agent.role_name} figures={total} />
      </Fact>
      <Fact name={heads.seconds} title={help.seconds}>
        {formatSeconds(total.seconds)}
      </Fact>
      <Fact name={heads.refusals} title={help.refusals}>
        {formatCount(total.refused)} ({formatProbability(total.refusal_share)})
      </Fact>
      <Fact name={heads.failures}>{formatCount(total.failed)}</Fact>
      <Fact name={heads.tokens} title={help.tokens}>
        {formatCount(total.tokens)}
      </Fact>
      <Fact name={heads.cost} title={help.cost}>
        {formatCost(total.cost)}
      </Fact>
    </dl>
  )
}

/** A step is the place of a day or a week. */
function seriesOf(usage: Usage | undefined): { steps: number[]; lines: Series[] } {
  const figures = usage?.over_time.map((period) => period.figures) ?? []
  const line = (name: string, key: 'runs' | 'accuracy' | 'tokens' | 'cost' | 'seconds') => ({
    name,
    quantity: QUANTITIES[key],
    values: figures.map((one) => one[key]),
  })
  return {
    steps: figures.map((_, place) => place),
    lines: [
      line(heads.runs, 'runs'),
      { ...line(heads.accuracy, 'accuracy'), band: bandOf(figures) },
      line(heads.tokens, 'tokens'),
      line(heads.cost, 'cost'),
      line(heads.seconds, 'seconds'),
    ],
  }
}
