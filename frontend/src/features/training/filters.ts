import type { WorkStatus } from '@/components/badge'
import type { FilterKind, FiltersOf } from '@/lib/use-list-filters'

export const FILTERS: FilterKind<WorkStatus, 'method'> = {
  statuses: ['queued', 'running', 'pausing', 'paused', 'succeeded', 'failed', 'cancelled'],
  own: ['method'],
}
export type JobFilters = FiltersOf<typeof FILTERS>
