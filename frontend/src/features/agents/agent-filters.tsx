import { useQuery } from '@tanstack/react-query'

import { FilterSelect } from '@/components/filter-select'
import { named } from '@/components/options'
import { queries } from '@/lib/api/queries'
import { useListFilters } from '@/lib/use-list-filters'

import { text } from '@/strings/agents'

import { FILTERS } from './use-agents'

/** Pool, role and endpoint, as the address has them. */
export function AgentFilters() {
  const { filters, change } = useListFilters(FILTERS)
  const endpoints = useQuery(queries.endpoints).data
  const pools = useQuery(queries.pools).data
  const pool = useQuery({
    ...queries.pool(filters.pool ?? ''),
    enabled: filters.pool !== null,
  }).data
  return (
    <>
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
    </>
  )
}
