import {
  useInfiniteQuery,
  useMutation,
  useQueryClient,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useNavigate } from 'react-router'

import type { paths } from '@/generated/api'
import { isEnded } from '@/graph/run-view'
import { api } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { pagesOf } from '@/lib/api/pages'
import { cancelRun, queries, retryRun, type Run, type RunSummary } from '@/lib/api/queries'
import { subscribe } from '@/lib/stream/stream'
import { strings } from '@/strings/studio'
import { notify, notifyProblem } from '@/lib/toasts'

import { runParams, type RunFilters } from './filters'

type Page = paths['/api/runs']['get']['responses'][200]['content']['application/json']
type Pages = InfiniteData<Page, string | null>

const PAGE_SIZE = 50
const REFRESH_MS = 15_000
/** Rows that follow the live stream; older active ones wait for the next refresh. */
const LIVE_ROWS = 12

export function useRuns(filters: RunFilters) {
  const runs = useInfiniteQuery(
    pagesOf(
      ['runs', 'list', filters],
      (cursor, signal) => {
        const query = { ...runParams(filters), page_size: PAGE_SIZE, cursor }
        return api.GET('/api/runs', { params: { query }, signal })
      },
      // Refreshing asks for every page again, so only short lists do it by themselves.
      { refetchInterval: ({ length }) => (length <= 2 ? REFRESH_MS : false) },
    ),
  )
  const rows = useMemo(() => runs.data?.pages.flatMap((page) => page.results) ?? [], [runs.data])
  useLiveRows(rows)
  return { ...runs, rows }
}

const isActive = (run: RunSummary): boolean => !isEnded(run.status)

/** Rows of active runs change as their run does. */
function useLiveRows(rows: readonly RunSummary[]): void {
  const client = useQueryClient()
  const active = rows.filter(isActive).slice(0, LIVE_ROWS)
  const ids = active.map(({ id }) => id).join(',')
  useEffect(() => {
    if (ids === '') return undefined
    const stops = ids.split(',').map((id) =>
      subscribe(id, (frames) => {
        const frame = frames.findLast((one) => 'detail' in one)
        if (frame) patchRun(client, frame.detail)
      }),
    )
    return () => {
      for (const stop of stops) stop()
    }
  }, [client, ids])
}

function patchRun(client: QueryClient, run: Run): void {
  client.setQueriesData<Pages>(
    { queryKey: ['runs', 'list'] },
    (pages) =>
      pages && {
        ...pages,
        pages: pages.pages.map((page) => ({
          ...page,
          results: page.results.map((row) => (row.id === run.id ? { ...row, ...run } : row)),
        })),
      },
  )
}

export function useRunActions() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const onError = (error: Error): void => notifyProblem(toApiError(error))
  const cancel = useMutation({
    mutationFn: (id: string) => cancelRun(id),
    onSuccess: (run) => {
      patchRun(client, run)
      notify(strings.runs.cancelled)
    },
    onError,
  })
  const retry = useMutation({
    mutationFn: (id: string) => retryRun(id),
    onSuccess: async (run) => {
      client.setQueryData(queries.run(run.id).queryKey, run)
      await navigate(`/runs/${run.id}`)
    },
    onError,
  })
  return { cancel, retry }
}
