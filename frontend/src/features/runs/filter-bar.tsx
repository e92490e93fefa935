import { useQueries } from '@tanstack/react-query'

import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { DelayedSearch } from '@/components/delayed-search'
import { FilterSelect } from '@/components/filter-select'
import type { Option } from '@/components/select'
import { queries } from '@/lib/api/queries'
import { strings } from '@/lib/strings'

import { STATUSES, type Filters } from './filters'

interface Props {
  filters: Filters
  change: (part: Partial<Filters>) => void
  clear: () => void
  isFiltered: boolean
}

export function FilterBar({ filters, change, clear, isFiltered }: Readonly<Props>) {
  const [methods, endpoints, pools] = useQueries({
    queries: [queries.methods, queries.endpoints, queries.pools],
  })
  const named = (items: readonly { key: string; name: string }[] = []): Option[] =>
    items.map(({ key, name }) => ({ key, label: name || key }))
  return (
    <div className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
      <DelayedSearch
        label={strings.runs.search}
        className="col-span-2 sm:w-64"
        value={filters.q}
        onChange={(q) => change({ q })}
      />
      <FilterSelect
        any={strings.runs.anyStatus}
        label={strings.runs.columns.status}
        options={STATUSES.map((key) => ({ key, label: strings.status[key] }))}
        value={filters.status}
        onChange={(key) => change({ status: STATUSES.find((status) => status === key) ?? null })}
      />
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
      <Checkbox isSelected={filters.mine} onChange={(mine) => change({ mine })} className="px-1">
        {strings.runs.mine}
      </Checkbox>
      {isFiltered ? (
        <Button variant="quiet" size="sm" onPress={clear} className="justify-self-start">
          {strings.runs.clearFilters}
        </Button>
      ) : null}
    </div>
  )
}
