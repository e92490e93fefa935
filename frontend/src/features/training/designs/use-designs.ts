import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'

import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'

type Schemas = components['schemas']
export type Designs = Schemas['SampledDesigns']
export type Question = Schemas['SampledQuestion']
export type Design = Schemas['SampledDesign']
export type Execution = Schemas['SampledExecution']
export type ShapeCount = Schemas['SampledShape']
export type ExecutionTrace = Schemas['ExecutionTrace']

/** Where an execution stands in a step; execution 0: the design can't be used. */
export interface Cell {
  readonly question: number
  readonly design: number
  readonly execution: number
}

const PAGE = 10
/** A step's designs never change, but their file may be deleted. */
const STAYS = 10 * 60_000

/** `upTo`: the training's step, with which new ones come. */
export const stepsQuery = (job: string, upTo: number) =>
  queryOptions({
    queryKey: ['training', job, 'designs', { upTo }],
    queryFn: () =>
      unwrap(
        api.GET('/api/training-jobs/{job_id}/designs/steps', { params: { path: { job_id: job } } }),
      ).then(({ steps }) => steps),
    placeholderData: (before) => before,
    staleTime: STAYS,
  })

const readDesigns = (
  job: string,
  query: { step: number; offset: number; page_size: number },
  signal: AbortSignal,
) =>
  unwrap(
    api.GET('/api/training-jobs/{job_id}/designs', {
      params: { path: { job_id: job }, query },
      signal,
    }),
  )

/** Page after page, as one asks for more questions. */
export const designList = (job: string, step: number) =>
  infiniteQueryOptions({
    queryKey: ['training', job, 'designs', step],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset, signal }) =>
      readDesigns(job, { step, offset, page_size: PAGE }, signal),
    getNextPageParam: ({ count }, _, offset) => (offset + PAGE < count ? offset + PAGE : null),
    staleTime: STAYS,
  })

export const questionQuery = (job: string, step: number, question: number) =>
  queryOptions({
    queryKey: ['training', job, 'designs', step, 'question', question],
    queryFn: ({ signal }) =>
      readDesigns(job, { step, offset: question, page_size: 1 }, signal).then(
        ({ results }) => results[0] ?? null,
      ),
    staleTime: STAYS,
  })

export const executionQuery = (job: string, step: number, cell: Cell) =>
  queryOptions({
    queryKey: ['training', job, 'designs', step, cell],
    queryFn: () =>
      unwrap(
        api.GET('/api/training-jobs/{job_id}/designs/execution', {
          params: { path: { job_id: job }, query: { step, ...cell } },
        }),
      ),
    staleTime: STAYS,
  })
