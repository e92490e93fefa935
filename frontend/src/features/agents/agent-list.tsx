import { useInfiniteQuery } from '@tanstack/react-query'
import { IdCard } from 'lucide-react'

import { Button } from '@/components/button'
import { ButtonLink } from '@/components/button-link'
import { DelayedSearch } from '@/components/delayed-search'
import { EmptyState } from '@/components/empty-state'
import { Listing, NoMatch } from '@/components/listing'
import { Select } from '@/components/select'
import { UNKNOWN, formatCost, formatCount, formatMetric, formatSeconds } from '@/lib/format'
import { useListFilters } from '@/lib/use-list-filters'
import { useParam } from '@/lib/use-param'
import { useWide } from '@/lib/use-wide'
import { text } from '@/strings/agents'

import { Accuracy } from './accuracy'
import { AgentFilters } from './agent-filters'
import { AgentName, AgentTable, type RowsProps } from './agent-table'
import { SpanSelect, useSpan } from './span-select'
import { FILTERS, ORDERS, agentList, learned, type AgentRow } from './use-agents'

/** Who there is, what each did and what was learned of it. */
export function AgentList() {
  const { filters, isFiltered, change, clear } = useListFilters(FILTERS)
  const [wanted, setOrder] = useParam('order')
  const order = ORDERS.find((known) => known === wanted) ?? ORDERS[0]
  const [span] = useSpan()
  const wide = useWide()
  const list = useInfiniteQuery(agentList(filters, order, span))
  const rows = list.data?.pages.flatMap((page) => page.results) ?? []
  const Rows = wide ? AgentTable : AgentCards
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
        <DelayedSearch
          label={text.searchNames}
          className="col-span-2 sm:w-64"
          value={filters.q}
          onChange={(q) => change({ q })}
        />
        <AgentFilters />
        <SpanSelect />
        {isFiltered ? (
          <Button variant="quiet" size="sm" onPress={clear} className="justify-self-start">
            {text.clear}
          </Button>
        ) : null}
      </div>
      <Listing
        list={list}
        isEmpty={rows.length === 0}
        none={
          isFiltered ? (
            <NoMatch title={text.noMatchTitle} clear={text.clear} onClear={clear}>
              {text.noMatchBody}
            </NoMatch>
          ) : (
            <NoAgents />
          )
        }
        shown={(list.hasNextPage ? text.shown : text.all)(formatCount(rows.length))}
        more={text.more}
      >
        <Rows rows={rows} order={order} onOrder={setOrder} />
      </Listing>
    </div>
  )
}

function NoAgents() {
  return (
    <EmptyState
      icon={IdCard}
      title={text.emptyTitle}
      action={
        <ButtonLink to="/" variant="primary">
          {text.emptyAction}
        </ButtonLink>
      }
    >
      {text.emptyBody}
    </EmptyState>
  )
}

const { columns: heads } = text

/** Where the window has no room for the table's columns. */
const AgentCards = ({ rows, order, onOrder }: Readonly<RowsProps>) => (
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
