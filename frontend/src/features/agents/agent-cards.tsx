import { Select } from '@/components/select'
import { formatCost, formatCount, formatMetric, formatSeconds, UNKNOWN } from '@/lib/format'

import { Accuracy } from './accuracy'
import { text } from '@/strings/agents'
import { AgentName, type RowsProps } from './agent-table'
import { learned, ORDERS, type AgentRow } from './use-agents'

const { columns: heads } = text

/** Where the window has no room for the table's columns. */
export const AgentCards = ({ rows, order, onOrder }: Readonly<RowsProps>) => (
  <>
    <div className="border-b border-line bg-surface-0 p-2">
      <Select
        label={text.sort}
        labelHidden
        options={ORDERS.map((key) => ({ key, label: text.orders[key] }))}
        value={order}
        onChange={onOrder}
      />
    </div>
    <ul aria-label={text.title}>
      {rows.map((agent) => (
        <li
          key={agent.id}
          className="grid gap-2 border-b border-line px-4 py-3 last:border-b-0 sm:grid-cols-2"
        >
          <AgentName agent={agent} />
          <span className="text-xs text-ink-2">
            {agent.endpoint_name || agent.endpoint}
            <span className="block break-all text-ink-3">{agent.model}</span>
          </span>
          {agent.usage.judged > 0 ? (
            <Accuracy name={agent.role_name} figures={agent.usage} />
          ) : null}
          <dl className="flex flex-wrap items-start gap-x-4 gap-y-1 text-xs">
            {figuresOf(agent).map(([name, value]) => (
              <div key={name} className="flex gap-1">
                <dt className="text-ink-3">{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  </>
)

/** What is unknown is left out. */
const figuresOf = (agent: AgentRow) =>
  [
    [heads.runs, formatCount(agent.usage.runs)],
    [heads.cost, formatCost(agent.usage.cost)],
    [heads.seconds, formatSeconds(agent.usage.seconds)],
    [heads.meanReward, formatMetric(learned(agent, 'reward'))],
    [heads.count, formatCount(agent.count)],
  ].filter(([, value]) => value !== UNKNOWN)
