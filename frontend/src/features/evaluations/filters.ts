import type { EvaluationStatus } from '@/components/badge'
import type { FilterKind, FiltersOf } from '@/lib/use-list-filters'

export const FILTERS: FilterKind<EvaluationStatus, 'dataset'> = {
  statuses: ['queued', 'running', 'succeeded', 'failed', 'cancelled'],
  own: ['dataset'],
}
export type EvaluationFilters = FiltersOf<typeof FILTERS>
