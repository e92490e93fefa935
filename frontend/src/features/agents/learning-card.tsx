import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

import { bandOf } from '@/components/chart/band'
import { numberColumn } from '@/components/data-table'
import type { Column } from '@/components/data-table'
import { Fact } from '@/components/fact'
import { TextLink } from '@/components/text-link'
import { QueryError } from '@/components/query-state'
import { formatCompact, formatCount, formatDateTime, formatMetric, UNKNOWN } from '@/lib/format'

import { text } from '@/strings/agents'

import { QUANTITIES } from './quantities'
import { SeriesCard, type Series } from './series-card'
import { curveQuery, learned, type Agent, type Reward } from './use-agents'

const { columns: heads, help, learning: words } = text

/** R(a), C(a) and n(a), and how they came about. */
export function LearningCard({ agent }: Readonly<{ agent: Agent }>) {
  const found = useQuery({ ...curveQuery(agent.id, agent.recorded), enabled: agent.recorded > 0 })
  const rewards = useMemo(() => found.data ?? [], [found.data])
  const { steps, lines } = useMemo(() => seriesOf(rewards), [rewards])
  return (
    <SeriesCard
      title={words.title}
      label={words.label}
      steps={steps}
      series={lines}
      stepHead={words.task}
      stepName={(count) => words.at(formatCount(count))}
      stepFormat={formatCompact}
      chartName={words.chart}
      columns={columnsOf(rewards)}
    >
      {agent.recorded === 0 ? (
        <p className="max-w-prose px-4 py-6 text-ink-2">{words.none}</p>
      ) : null}
      {agent.recorded > 0 ? (
        <dl className="grid grid-cols-3 gap-x-6 gap-y-3 px-4 py-3">
          <Fact name={heads.meanReward} title={help.meanReward}>
            {formatMetric(learned(agent, 'reward'))}
          </Fact>
          <Fact name={heads.meanCost} title={help.meanCost}>
            {formatMetric(learned(agent, 'cost'))}
          </Fact>
          <Fact name={heads.count} title={help.count}>
            {formatCount(agent.count)}
          </Fact>
        </dl>
      ) : null}
      {found.isError ? <QueryError of={found} /> : null}
      {steps.length > 0 && steps.length < agent.recorded ? (
        <p className="px-4 pb-2 text-xs text-ink-3">
          {words.thinned(formatCount(steps.length), formatCount(agent.recorded))}
        </p>
      ) : null}
    </SeriesCard>
  )
}

/** A step is the number of a row; one that restored the statistics has no reward of its own. */
function seriesOf(rewards: readonly Reward[]): { steps: number[]; lines: Series[] } {
  return {
    steps: rewards.map(({ number }) => number),
    lines: [
      {
        name: heads.meanReward,
        quantity: QUANTITIES.meanReward,
        values: rewards.map((one) => one.mean_reward),
        band: bandOf(rewards),
      },
      {
        name: words.reward,
        quantity: QUANTITIES.reward,
        values: rewards.map(({ reward }) => reward),
      },
      {
        name: heads.meanCost,
        quantity: QUANTITIES.meanCost,
        values: rewards.map((one) => one.mean_cost),
      },
    ],
  }
}

const columnsOf = (rewards: readonly Reward[]): Column<number>[] => [
  numberColumn('count', heads.count, (place) => formatCount(rewards[place]?.count), help.count),
  {
    key: 'when',
    head: words.when,
    className: 'whitespace-nowrap',
    render: (place) => formatDateTime(rewards[place]?.at),
  },
  {
    key: 'run',
    head: words.run,
    render: (place) => <Source reward={rewards[place]} />,
  },
]

/** Where it was earned, or from which checkpoint the statistics were restored. */
function Source({ reward }: Readonly<{ reward: Reward | undefined }>) {
  if (!reward) return UNKNOWN
  if (reward.restored_from)
    return words.restored(reward.restored_from, reward.restored_by || UNKNOWN)
  const [to, name] = reward.run
    ? [`/runs/${reward.run}`, words.open]
    : [`/training/${reward.job ?? ''}`, words.ofStep(formatCount(reward.step))]
  return reward.run || reward.job ? <TextLink to={to}>{name}</TextLink> : UNKNOWN
}
