import type { components } from '@/generated/api'
import type { FilterKind, FiltersOf } from '@/lib/use-list-filters'

type TrainingStatus = components['schemas']['Training']['status']

export const FILTERS: FilterKind<TrainingStatus, 'method'> = {
  statuses: ['queued', 'running', 'pausing', 'paused', 'succeeded', 'failed', 'cancelled'],
  own: ['method'],
}
export type JobFilters = FiltersOf<typeof FILTERS>
