import type { RunStatus } from '@/components/badge'
import type { FilterKind, FiltersOf } from '@/lib/use-list-filters'

export const FILTERS: FilterKind<RunStatus, 'dataset'> = {
  statuses: ['queued', 'running', 'succeeded', 'failed', 'cancelled'],
  own: ['dataset'],
}
export type EvaluationFilters = FiltersOf<typeof FILTERS>
