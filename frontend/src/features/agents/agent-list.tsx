import { useInfiniteQuery } from '@tanstack/react-query'
import { IdCard } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { DelayedSearch } from '@/components/delayed-search'
import { EmptyState } from '@/components/empty-state'
import { Listing, NoMatch } from '@/components/listing'
import { formatCount } from '@/lib/format'
import { useListFilters } from '@/lib/use-list-filters'
import { useParam } from '@/lib/use-param'
import { useWide } from '@/lib/use-wide'

import { AgentCards } from './agent-cards'
import { AgentFilters } from './agent-filters'
import { text } from '@/strings/agents'
import { AgentTable } from './agent-table'
import { SpanSelect } from './span-select'
import { agentList, FILTERS, ORDERS } from './use-agents'
import { useSpan } from './use-span'

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
      icon={<IdCard size={28} aria-hidden />}
      title={text.emptyTitle}
      action={
        <Link to="/" className={buttonClass({ variant: 'primary' })}>
          {text.emptyAction}
        </Link>
      }
    >
      {text.emptyBody}
    </EmptyState>
  )
}
