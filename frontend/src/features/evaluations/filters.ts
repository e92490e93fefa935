import { useMemo } from 'react'
import { useSearchParams } from 'react-router'

import type { RunStatus } from '@/components/badge'

export const STATUSES: readonly RunStatus[] = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
]

export interface ListFilters {
  readonly status: RunStatus | null
  readonly dataset: string | null
  readonly mine: boolean
  readonly q: string
}

export function listFiltersOf(search: URLSearchParams): ListFilters {
  const status = search.get('status')
  return {
    status: STATUSES.find((known) => known === status) ?? null,
    dataset: search.get('dataset'),
    mine: search.get('mine') === 'true',
    q: search.get('q') ?? '',
  }
}

/** The query of the API: only what is set. */
export const listParams = ({ status, dataset, mine, q }: ListFilters) => ({
  ...(status ? { status: [status] } : {}),
  ...(dataset ? { dataset } : {}),
  ...(mine ? { mine } : {}),
  ...(q ? { q } : {}),
})

export function useListFilters(): { filters: ListFilters; isFiltered: boolean } {
  const [search] = useSearchParams()
  return useMemo(() => {
    const filters = listFiltersOf(search)
    return { filters, isFiltered: Object.keys(listParams(filters)).length > 0 }
  }, [search])
}
