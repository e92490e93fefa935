import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'

import type { RunStatus } from '@/components/badge'

export interface Filters {
  readonly status: RunStatus | null
  readonly method: string | null
  readonly endpoint: string | null
  readonly pool: string | null
  readonly mine: boolean
  readonly q: string
}

export const STATUSES: readonly RunStatus[] = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
]

/** The filters as the address says; an unknown status is left out rather than shown as an error. */
export function filtersOf(search: URLSearchParams): Filters {
  const status = search.get('status')
  return {
    status: STATUSES.find((known) => known === status) ?? null,
    method: search.get('method'),
    endpoint: search.get('endpoint'),
    pool: search.get('pool'),
    mine: search.get('mine') === 'true',
    q: search.get('q') ?? '',
  }
}

/** Only the filters that are set: the query of the API, and the address of the page. */
export function filterParams(filters: Filters): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters)
      .filter(([, value]) => value !== null && value !== '' && value !== false)
      .map(([key, value]) => [key, String(value)]),
  )
}

export function useFilters() {
  const [search, setSearch] = useSearchParams()
  const filters = useMemo(() => filtersOf(search), [search])
  const change = useCallback(
    (part: Partial<Filters>) =>
      setSearch((before) => filterParams({ ...filtersOf(before), ...part }), { replace: true }),
    [setSearch],
  )
  const clear = useCallback(() => setSearch({}, { replace: true }), [setSearch])
  return { filters, change, clear, isFiltered: Object.keys(filterParams(filters)).length > 0 }
}
