import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { IdCard } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { DelayedSearch } from '@/components/delayed-search'
import { EmptyState } from '@/components/empty-state'
import { FilterSelect } from '@/components/filter-select'
import { Listing, NoMatch } from '@/components/listing'
import { Page } from '@/components/page'
import type { Option } from '@/components/select'
import { queries } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { useListFilters } from '@/lib/use-list-filters'
import { useParam } from '@/lib/use-param'
import { useTitle } from '@/lib/use-title'
import { useWide } from '@/lib/use-wide'

import { AgentCards } from './agent-cards'
import { text } from '@/strings/agents'
import { AgentTable } from './agent-table'
import { SpanSelect } from './span-select'
import { agentList, FILTERS, ORDERS } from './use-agents'
import { useSpan } from './use-span'

export function AgentsPage() {
  useTitle(text.title)
  const { filters, isFiltered, clear } = useListFilters(FILTERS)
  const [wanted, setOrder] = useParam('order')
  const order = ORDERS.find((known) => known === wanted) ?? ORDERS[0]
  const [span] = useSpan()
  const wide = useWide()
  const list = useInfiniteQuery(agentList(filters, order, span))
  const rows = list.data?.pages.flatMap((page) => page.results) ?? []
  const Rows = wide ? AgentTable : AgentCards
  return (
    <Page title={text.title} lead={text.lead}>
      <Filters />
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
    </Page>
  )
}

function Filters() {
  const { filters, isFiltered, change, clear } = useListFilters(FILTERS)
  const endpoints = useQuery(queries.endpoints).data
  const pools = useQuery(queries.pools).data
  const pool = useQuery({
    ...queries.pool(filters.pool ?? ''),
    enabled: filters.pool !== null,
  }).data
  return (
    <div className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
      <DelayedSearch
        label={text.search}
        className="col-span-2 sm:w-64"
        value={filters.q}
        onChange={(q) => change({ q })}
      />
      <FilterSelect
        any={text.anyPool}
        label={text.pool}
        options={named(pools)}
        value={filters.pool}
        onChange={(key) => change({ pool: key, role: null })}
      />
      {filters.pool === null && filters.role === null ? null : (
        <FilterSelect
          any={text.anyRole}
          label={text.role}
          className="sm:w-44"
          options={named(pool?.roles)}
          value={filters.role}
          onChange={(role) => change({ role })}
        />
      )}
      <FilterSelect
        any={text.anyEndpoint}
        label={text.endpoint}
        options={named(endpoints)}
        value={filters.endpoint}
        onChange={(endpoint) => change({ endpoint })}
      />
      <SpanSelect />
      {isFiltered ? (
        <Button variant="quiet" size="sm" onPress={clear} className="justify-self-start">
          {text.clear}
        </Button>
      ) : null}
    </div>
  )
}

const named = (items: readonly { key: string; name: string }[] = []): Option[] =>
  items.map(({ key, name }) => ({ key, label: name || key }))

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
