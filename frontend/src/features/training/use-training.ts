import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { pagesOf } from '@/lib/api/pages'
import { notify, notifyProblem } from '@/lib/toasts'
import { filterParams, type FilterKind, type FiltersOf } from '@/lib/use-list-filters'

import { text } from '@/strings/training'

type Schemas = components['schemas']
export type Training = Schemas['Training']
export type TrainableMethod = Schemas['TrainableMethod']
export type Budget = Schemas['TrainingBudgetRequest']
export type Sample = Schemas['Sample']
export type SampleSummary = Schemas['SampleSummary']

export const FILTERS: FilterKind<Training['status'], 'method'> = {
  statuses: ['queued', 'running', 'pausing', 'paused', 'succeeded', 'failed', 'cancelled'],
  own: ['method'],
}
export type JobFilters = FiltersOf<typeof FILTERS>

const PAGE = 30
const LIST_MS = 2_500
const REST_MS = 30_000
const RARELY_CHANGES = 60_000

export const isWorking = ({ status }: Pick<Training, 'status'>): boolean =>
  status === 'queued' || status === 'running' || status === 'pausing'

export const hasEnded = ({ status }: Pick<Training, 'status'>): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'cancelled'

/** Somebody stopped it, and it has not ended yet. */
export const isStopping = (job: Pick<Training, 'status' | 'cancel_requested_at'>): boolean =>
  job.cancel_requested_at !== null && !hasEnded(job)

/** Deleted, or no longer to be seen: what is known of it would only look alive. */
export const isGone = (error: Error | null): boolean =>
  error !== null && [403, 404, 410].includes(toApiError(error).status)

const path = (id: string) => ({ path: { job_id: id } })

export const jobList = (filters: JobFilters) =>
  pagesOf(
    ['trainings', 'list', filters],
    (cursor, signal) => {
      const query = { ...filterParams(FILTERS, filters), page_size: PAGE, cursor }
      return api.GET('/api/training-jobs', { params: { query }, signal })
    },
    {
      refetchInterval: (pages) =>
        pages.some(({ results }) => results.some(isWorking)) ? LIST_MS : REST_MS,
    },
  )

export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: ['training', id],
    queryFn: () => unwrap(api.GET('/api/training-jobs/{job_id}', { params: path(id) })),
  })

/** Other trainings that a curve can be compared with. */
export const siblingsQuery = (method: string) =>
  queryOptions({
    queryKey: ['trainings', 'siblings', method],
    queryFn: () =>
      unwrap(
        api.GET('/api/training-jobs', { params: { query: { method, page_size: PAGE } } }),
      ).then((page) => page.results),
    staleTime: LIST_MS,
  })

export const trainableQuery = queryOptions({
  queryKey: ['training-methods'],
  queryFn: () => unwrap(api.GET('/api/training/methods')),
  staleTime: RARELY_CHANGES,
})

/** `isNewest`: its systems may still be on their way, as they are stored beside the step's numbers. */
export const samplesQuery = (id: string, step: number | null, isNewest = false) =>
  queryOptions({
    queryKey: ['training', id, 'samples', step],
    queryFn: () =>
      unwrap(
        api.GET('/api/training-jobs/{job_id}/samples', {
          params: { ...path(id), query: step === null ? {} : { step } },
        }),
      ),
    staleTime: LIST_MS,
    refetchInterval: isNewest ? LIST_MS : false,
  })

export const sampleQuery = (id: string, sample: number) =>
  queryOptions({
    queryKey: ['training', id, 'sample', sample],
    queryFn: () =>
      unwrap(
        api.GET('/api/training-jobs/{job_id}/samples/{sample_id}', {
          params: { path: { job_id: id, sample_id: sample } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** No endpoint was paid for the step of a training that has none. */
export const whenPaused = ({ endpoint }: Training): string =>
  endpoint === null ? text.actions.pausesSoon : text.actions.paused

export function useJobActions(id: string, onDeleted: () => void) {
  const client = useQueryClient()
  const onError = (error: Error): void => notifyProblem(toApiError(error))
  const keep =
    (message: string | ((job: Training) => string)) =>
    (job: Training): void => {
      client.setQueryData(jobQuery(id).queryKey, job)
      void client.invalidateQueries({ queryKey: ['trainings'] })
      notify(typeof message === 'string' ? message : message(job))
    }
  const pause = useMutation({
    mutationFn: () => unwrap(api.POST('/api/training-jobs/{job_id}/pause', { params: path(id) })),
    onSuccess: keep(whenPaused),
    onError,
  })
  const resume = useMutation({
    /** With limits for one that has spent those it had, which shows its own refusals. */
    mutationFn: (budget?: Budget) =>
      unwrap(
        api.POST('/api/training-jobs/{job_id}/resume', {
          params: path(id),
          body: budget ? { budget } : {},
        }),
      ),
    onSuccess: keep(text.actions.resumed),
    onError: (error, budget) => {
      if (!budget) onError(error)
    },
  })
  const cancel = useMutation({
    mutationFn: () => unwrap(api.POST('/api/training-jobs/{job_id}/cancel', { params: path(id) })),
    onSuccess: keep(text.actions.cancelled),
  })
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/training-jobs/{job_id}', { params: path(id) }),
    onSuccess: async () => {
      onDeleted()
      notify(text.actions.deleted)
      await client.invalidateQueries({ queryKey: ['trainings'] })
    },
  })
  return { pause, resume, cancel, remove }
}
