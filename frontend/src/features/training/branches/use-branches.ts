import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'

import type { components, paths } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'

type Schemas = components['schemas']
export type Group = Schemas['BranchGroup']
export type Branches = Schemas['Branches']
export type Branch = Branches['branches'][number]
type Query = NonNullable<
  paths['/api/training-jobs/{job_id}/branches/{step}']['get']['parameters']['query']
>
export type GroupFilters = Omit<Query, 'offset' | 'page_size'>

/** Where a group stands in a step. */
export interface Place {
  readonly episode: number
  readonly agent: string
  readonly turn: number
}

const PAGE = 200
const MOST = 1_000
/** A step's branches never change, but their file may be deleted. */
const STAYS = 10 * 60_000

/** `upTo`: the training's step, with which new ones come. */
export const stepsQuery = (job: string, upTo: number) =>
  queryOptions({
    queryKey: ['training', job, 'branches', { upTo }],
    queryFn: () => readSteps(job, {}),
    placeholderData: (before) => before,
    staleTime: STAYS,
  })

export const stepsOfTaskQuery = (job: string, task: number) =>
  queryOptions({
    queryKey: ['training', job, 'branches', { task }],
    queryFn: () => readSteps(job, { task }),
  })

const readSteps = (id: string, query: { task?: number }) =>
  unwrap(
    api.GET('/api/training-jobs/{job_id}/branches', { params: { path: { job_id: id }, query } }),
  ).then(({ steps }) => steps)

const readGroups = (id: string, step: number, query: Query, signal: AbortSignal) =>
  unwrap(
    api.GET('/api/training-jobs/{job_id}/branches/{step}', {
      params: { path: { job_id: id, step }, query },
      signal,
    }),
  )

/** Page after page, as one scrolls. */
export const groupList = (id: string, step: number, filters: GroupFilters) =>
  infiniteQueryOptions({
    queryKey: ['training', id, 'branches', step, filters],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      readGroups(id, step, { ...filters, offset: pageParam, page_size: PAGE }, signal),
    getNextPageParam: ({ count }, _, offset) => (offset + PAGE < count ? offset + PAGE : null),
    // Other filters keep the rows in place meanwhile; rows of another step would mislead.
    placeholderData: (before, query) => (query?.queryKey[3] === step ? before : undefined),
    staleTime: STAYS,
  })

/** All groups of the task's episodes, in the order in which they were played. */
export const groupsOfTaskQuery = (id: string, step: number, task: number) =>
  queryOptions({
    queryKey: ['training', id, 'branches', step, { task }, 'all'],
    queryFn: ({ signal }) =>
      readGroups(id, step, { task, page_size: MOST }, signal).then(({ results }) => results),
    staleTime: STAYS,
  })

export const groupQuery = (id: string, step: number, { episode, agent, turn }: Place) =>
  queryOptions({
    queryKey: ['training', id, 'branches', step, episode, agent, turn],
    queryFn: () =>
      unwrap(
        api.GET('/api/training-jobs/{job_id}/branches/{step}/{episode}/{agent}/{turn}', {
          params: { path: { job_id: id, step, episode, agent, turn } },
        }),
      ),
    staleTime: STAYS,
  })

type Form = NonNullable<
  NonNullable<
    paths['/api/training-jobs/{job_id}/branches/{step}/file']['get']['parameters']['query']
  >['format']
>

/** The file of all branches that the filters leave. */
export const fileAddress = (id: string, step: number, filters: GroupFilters, format: Form) => {
  const wanted = Object.entries({ ...filters, format })
  const query = new URLSearchParams(wanted.map(([name, value]) => [name, String(value)]))
  return `/api/training-jobs/${id}/branches/${step}/file?${query}`
}
