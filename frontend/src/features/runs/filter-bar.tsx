import { useQueries } from '@tanstack/react-query'

import { FilterSelect } from '@/components/filter-select'
import { ListFilters } from '@/components/list-filters'
import type { Option } from '@/components/select'
import { queries } from '@/lib/api/queries'
import { strings } from '@/strings/studio'
import { useListFilters } from '@/lib/use-list-filters'

import { FILTERS } from './filters'
import { MoreFilters } from './more-filters'

export function FilterBar() {
  const list = useListFilters(FILTERS)
  const { filters, change } = list
  const [methods, endpoints, pools] = useQueries({
    queries: [queries.methods, queries.endpoints, queries.pools],
  })
  const named = (items: readonly { key: string; name: string }[] = []): Option[] =>
    items.map(({ key, name }) => ({ key, label: name || key }))
  return (
    <ListFilters
      page="runs"
      texts={{
        ...strings.runs,
        status: strings.runs.columns.status,
        clear: strings.runs.clearFilters,
      }}
      list={list}
    >
      <FilterSelect
        any={strings.runs.anyMethod}
        label={strings.ask.method}
        options={named(methods.data)}
        value={filters.method}
        onChange={(method) => change({ method })}
      />
      <FilterSelect
        any={strings.runs.anyEndpoint}
        label={strings.ask.endpoint}
        options={named(endpoints.data)}
        value={filters.endpoint}
        onChange={(endpoint) => change({ endpoint })}
      />
      <FilterSelect
        any={strings.runs.anyPool}
        label={strings.ask.pool}
        options={named(pools.data)}
        value={filters.pool}
        onChange={(pool) => change({ pool })}
      />
      <MoreFilters filters={filters} onChange={change} />
    </ListFilters>
  )
}
