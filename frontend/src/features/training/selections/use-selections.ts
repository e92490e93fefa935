import { queryOptions, useQuery } from '@tanstack/react-query'

import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { trainableQuery } from '@/features/training/use-training'

type Schemas = components['schemas']
export type Selections = Schemas['Selections']
export type Cell = Schemas['SelectionCell']
export type Role = Schemas['SelectableRole']
export type Place = Cell['place']

/** `step`: the training's; a long one is asked again after every hundredth of its steps. */
export const selectionsQuery = (job: string, step: number) =>
  queryOptions({
    queryKey: ['training', job, 'selections', { upTo: coarse(step) }],
    queryFn: () =>
      unwrap(
        api.GET('/api/training-jobs/{job_id}/selections', { params: { path: { job_id: job } } }),
      ),
    placeholderData: (before) => before,
  })

/** Its first two digits: 9,876 is 9,800. */
export function coarse(step: number): number {
  const unit = 10 ** Math.max(0, String(step).length - 2)
  return step - (step % unit)
}

/** Whether trainings of the method tell how likely each role was; undefined: not known yet. */
export function useSelectsRoles(method: string): boolean | undefined {
  const methods = useQuery(trainableQuery).data
  return methods?.some((each) => each.method === method && each.selects_roles)
}
