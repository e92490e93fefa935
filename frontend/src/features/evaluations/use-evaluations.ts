import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { pagesOf } from '@/lib/api/pages'
import { evaluationTopic, type EvaluationFrame } from '@/lib/stream/frames'
import { watchTopic } from '@/lib/stream/stream'
import { notify, notifyProblem } from '@/lib/toasts'
import { filterParams, type FilterKind, type FiltersOf } from '@/lib/use-list-filters'

import { text } from '@/strings/evaluations'

import type { Why } from './why'

type Schemas = components['schemas']
export type Evaluation = Schemas['Evaluation']
export type EvaluationListed = Schemas['EvaluationListed']
export type Summary = Schemas['Summary']
export type ArmSummary = Schemas['ArmSummary']
export type CutWarning = Schemas['CutWarning']
export type Pair = Schemas['Pair']
export type Rationality = Schemas['Rationality']
export type ArmRationality = Schemas['ArmRationality']
export type Result = Schemas['Result']
export type Compared = Schemas['Compared']

export const FILTERS: FilterKind<Evaluation['status'], 'dataset'> = {
  statuses: ['queued', 'running', 'succeeded', 'failed', 'cancelled'],
  own: ['dataset'],
}
export type EvaluationFilters = FiltersOf<typeof FILTERS>

const LIST_PAGE = 20
const CELL_PAGE = 100
const ACTIVE_MS = 2_000
const SUMMARY_MS = 4_000
const LOOKING_MS = 3_000
/** Whoever is still waiting is answered a little less often each time. */
const LOOKING_STEP_MS = 100
const REST_MS = 30_000
/** Pages are kept while somebody reads a trace, so that he comes back to the same row. */
const AWAY_MS = 30 * 60_000
const MOST_FOLLOWED = 10

export const isActive = ({ status }: Pick<Evaluation, 'status'>): boolean =>
  status === 'queued' || status === 'running'

const path = (id: string) => ({ path: { evaluation_id: id } })

export const evaluationList = (filters: EvaluationFilters) =>
  pagesOf(
    ['evaluations', 'list', filters],
    (cursor, signal) => {
      const query = { ...filterParams(FILTERS, filters), page_size: LIST_PAGE, cursor }
      return api.GET('/api/evaluations', { params: { query }, signal })
    },
    {
      refetchInterval: (pages) =>
        pages.some(({ results }) => results.some(isActive)) ? ACTIVE_MS : REST_MS,
    },
  )

export const evaluationQuery = (id: string) =>
  queryOptions({
    queryKey: ['evaluation', id],
    queryFn: () => unwrap(api.GET('/api/evaluations/{evaluation_id}', { params: path(id) })),
  })

/** One evaluation, followed live while it goes on. */
export function useEvaluation(id: string) {
  const client = useQueryClient()
  const evaluation = useQuery(evaluationQuery(id))
  const active = evaluation.data !== undefined && isActive(evaluation.data)
  useFreshFindings(id, evaluation.data?.status)
  useEffect(() => {
    if (!active) return undefined
    return watchTopic<EvaluationFrame>(evaluationTopic(id), (frames) => {
      const last = frames.at(-1)
      if (last) client.setQueryData(evaluationQuery(id).queryKey, last.detail)
    })
  }, [active, client, id])
  return evaluation
}

/** Whatever is read of an evaluation is asked for once more when it ends, stops or goes on. */
function useFreshFindings(id: string, status: Evaluation['status'] | undefined): void {
  const client = useQueryClient()
  const before = useRef(status)
  useEffect(() => {
    const known = before.current
    before.current = status
    if (known === undefined || known === status) return
    void client.invalidateQueries({
      predicate: ({ queryKey: [kind, which, part] }) =>
        kind === 'evaluation' && which === id && part !== undefined,
    })
    void client.invalidateQueries({ queryKey: ['evaluations'] })
  }, [client, id, status])
}

type Findings = Pick<Evaluation, 'id' | 'status' | 'finished_at'>

/** The end is in the key: one that was stopped and went on ends with other numbers. */
export const summaryQuery = (evaluation: Findings) => {
  const { id, finished_at } = evaluation
  const ended = !isActive(evaluation)
  return queryOptions({
    queryKey: ['evaluation', id, 'summary', finished_at],
    queryFn: () =>
      unwrap(api.GET('/api/evaluations/{evaluation_id}/summary', { params: path(id) })),
    placeholderData: (before: Summary | undefined) => before,
    staleTime: ended ? REST_MS : 0,
    refetchInterval: ended ? false : SUMMARY_MS,
  })
}

/** A worker looks at answers once somebody asks, and at those of a running evaluation again and again. */
export const rationalityQuery = (evaluation: Findings) => {
  const { id, finished_at } = evaluation
  const ended = !isActive(evaluation)
  return queryOptions({
    queryKey: ['evaluation', id, 'rationality', finished_at],
    queryFn: () =>
      unwrap(api.GET('/api/evaluations/{evaluation_id}/rationality', { params: path(id) })),
    placeholderData: (before: Rationality | undefined) => before,
    staleTime: ended ? REST_MS : 0,
    refetchInterval: ({ state }) =>
      state.data?.status === 'pending'
        ? Math.max(LOOKING_MS, Math.min(REST_MS, state.dataUpdateCount * LOOKING_STEP_MS))
        : ended
          ? false
          : REST_MS,
  })
}

/** Every page is read again each time: the more there are, the less often; very many, at the end. */
const followed = (active: boolean) => ({
  gcTime: AWAY_MS,
  refetchInterval: ({ length }: readonly unknown[]) =>
    active && length <= MOST_FOLLOWED ? Math.max(1, length) * SUMMARY_MS : false,
})

export type Verdict = 'right' | 'wrong' | 'failed'

export interface ResultFilters {
  readonly arm: string | null
  readonly verdict: Verdict | null
  readonly why: Why | null
  /** Its place in the split. */
  readonly task: number | null
  readonly q: string
}

const verdictParams: Readonly<Record<Verdict, { correct?: boolean; failed?: boolean }>> = {
  right: { correct: true },
  wrong: { correct: false, failed: false },
  failed: { failed: true },
}

export const resultList = (id: string, filters: ResultFilters, active: boolean) => {
  const { arm, verdict, why, task, q } = filters
  const wanted = {
    arm: arm ?? undefined,
    ...(verdict ? verdictParams[verdict] : {}),
    category: why ?? undefined,
    task: task ?? undefined,
    q: q || undefined,
    page_size: CELL_PAGE,
  }
  return pagesOf(
    ['evaluation', id, 'results', filters],
    (cursor, signal) =>
      api.GET('/api/evaluations/{evaluation_id}/results', {
        params: { ...path(id), query: { ...wanted, cursor } },
        signal,
      }),
    followed(active),
  )
}

export const OUTCOMES = ['only_left', 'only_right', 'both', 'neither'] as const
export type Outcome = (typeof OUTCOMES)[number]

export const comparedList = (
  id: string,
  left: string,
  right: string,
  outcome: Outcome | null,
  active: boolean,
) =>
  pagesOf(
    ['evaluation', id, 'compare', left, right, outcome],
    (cursor, signal) => {
      const query = { left, right, outcome: outcome ?? undefined, page_size: CELL_PAGE, cursor }
      return api.GET('/api/evaluations/{evaluation_id}/compare', {
        params: { ...path(id), query },
        signal,
      })
    },
    followed(active),
  )

/** One task with the answers of both arms; null: one of them has not answered it. */
export const comparedTask = (id: string, place: ComparedPlace) =>
  queryOptions({
    queryKey: ['evaluation', id, 'compare-task', place],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/evaluations/{evaluation_id}/compare', {
          params: { ...path(id), query: { ...place } },
          signal,
        }),
      ).then((page) => page.results[0] ?? null),
  })

export interface ComparedPlace {
  readonly left: string
  readonly right: string
  readonly task: number
  readonly repeat: number
}

export function useEvaluationActions(id: string, onDeleted: () => void) {
  const client = useQueryClient()
  const onError = (error: Error): void => notifyProblem(toApiError(error))
  const keep =
    (message: string) =>
    (evaluation: Evaluation): void => {
      client.setQueryData(evaluationQuery(id).queryKey, evaluation)
      void client.invalidateQueries({ queryKey: ['evaluations'] })
      notify(message)
    }
  const cancel = useMutation({
    mutationFn: () =>
      unwrap(api.POST('/api/evaluations/{evaluation_id}/cancel', { params: path(id) })),
    onSuccess: keep(text.status.cancelled),
    onError,
  })
  const resume = useMutation({
    mutationFn: () =>
      unwrap(api.POST('/api/evaluations/{evaluation_id}/resume', { params: path(id) })),
    onSuccess: keep(text.status.resumed),
    onError,
  })
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/evaluations/{evaluation_id}', { params: path(id) }),
    onSuccess: async () => {
      onDeleted()
      notify(text.status.deleted)
      await client.invalidateQueries({ queryKey: ['evaluations'] })
    },
  })
  return { cancel, resume, remove }
}
