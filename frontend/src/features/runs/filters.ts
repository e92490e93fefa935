import type { RunStatus } from '@/components/badge'
import type { FilterKind, FiltersOf } from '@/lib/use-list-filters'

export const FILTERS: FilterKind<RunStatus, 'method' | 'endpoint' | 'pool'> = {
  statuses: ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'],
  own: ['method', 'endpoint', 'pool'],
}
export type RunFilters = FiltersOf<typeof FILTERS>
