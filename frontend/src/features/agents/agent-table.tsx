import { DataTable, type Column, numberColumn } from '@/components/data-table'
import { FamilyMark } from '@/components/family-mark'
import { TextLink } from '@/components/text-link'
import {
  formatCompact,
  formatCost,
  formatCount,
  formatMetric,
  formatProbability,
  formatSeconds,
} from '@/lib/format'
import { sortOf, sortText } from '@/lib/sorting'

import { Accuracy } from './accuracy'
import { text } from '@/strings/agents'

import { learned, type AgentRow, type Order } from './use-agents'

const { columns: heads, help } = text

export interface RowsProps {
  rows: readonly AgentRow[]
  order: Order
  onOrder: (order: string) => void
}

/** The server sorts: the order of a column goes over all pages. */
export const AgentTable = ({ rows, order, onOrder }: Readonly<RowsProps>) => (
  <DataTable
    label={text.title}
    rows={rows}
    keyOf={({ id }) => String(id)}
    columns={columns}
    sort={sortOf(order)}
    onSort={(sort) => onOrder(sortText(sort))}
    rowClass={() => 'hover:bg-surface-2'}
  />
)

export const AgentName = ({ agent }: Readonly<{ agent: AgentRow }>) => (
  <span className="flex items-center gap-2">
    <FamilyMark family={agent.family} iconOnly />
    <span className="min-w-0">
      <TextLink to={`/agents/${agent.id}`} className="block w-fit font-medium">
        {agent.role_name}
      </TextLink>
      <span className="block truncate text-xs font-normal text-ink-3">{agent.pool_name}</span>
    </span>
  </span>
)

const columns: Column<AgentRow>[] = [
  {
    key: 'agent',
    head: heads.agent,
    isRowHead: true,
    className: 'min-w-44',
    render: (agent) => <AgentName agent={agent} />,
  },
  {
    key: 'endpoint',
    head: heads.endpoint,
    className: 'min-w-36',
    render: ({ endpoint, endpoint_name, model }) => (
      <>
        {endpoint_name || endpoint}
        <span className="block max-w-56 truncate text-xs text-ink-3" title={model}>
          {model}
        </span>
      </>
    ),
  },
  used('runs', help.runs, ({ usage }) => formatCount(usage.runs)),
  {
    key: 'accuracy',
    head: heads.accuracy,
    title: help.accuracy,
    render: ({ role_name, usage }) => <Accuracy name={role_name} figures={usage} />,
  },
  used('refusals', help.refusals, ({ usage }) => formatProbability(usage.refusal_share)),
  used('tokens', help.tokens, ({ usage }) => formatCompact(usage.tokens)),
  used('cost', help.cost, ({ usage }) => formatCost(usage.cost)),
  used('seconds', help.seconds, ({ usage }) => formatSeconds(usage.seconds)),
  numberColumn(
    'reward',
    heads.meanReward,
    (agent) => formatMetric(learned(agent, 'reward')),
    help.meanReward,
    { value: ({ reward }) => reward },
  ),
  numberColumn(
    'cost',
    heads.meanCost,
    (agent) => formatMetric(learned(agent, 'cost')),
    help.meanCost,
    { first: 'ascending', value: ({ cost }) => cost },
  ),
  numberColumn('count', heads.count, ({ count }) => formatCount(count), help.count, {
    value: ({ count }) => count,
  }),
]

function used(
  key: 'runs' | 'refusals' | 'tokens' | 'cost' | 'seconds',
  title: string,
  render: (agent: AgentRow) => string,
): Column<AgentRow> {
  return { key: `${key}_used`, head: heads[key], title, numeric: true, render }
}
