import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import type { components } from '@/generated/api'
import type { Split } from '@/lib/splits'
import { Began } from '@/lib/api/began'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { pagesOf } from '@/lib/api/pages'
import { queries, type Dataset } from '@/lib/api/queries'
import { strings } from '@/strings/studio'
import { notify } from '@/lib/toasts'

type Schemas = components['schemas']
export type Benchmark = Schemas['Benchmark']
export type Task = Schemas['Task']
export type TaskSummary = Schemas['TaskSummary']

const PAGE = 100
const RARELY_CHANGES = 60_000

export const benchmarksQuery = queryOptions({
  queryKey: ['benchmarks'],
  queryFn: () => unwrap(api.GET('/api/benchmarks')),
  staleTime: RARELY_CHANGES,
})

export const datasetQuery = (key: string) =>
  queryOptions({
    queryKey: ['dataset', key],
    queryFn: () => unwrap(api.GET('/api/datasets/{key}', { params: { path: { key } } })),
  })

export const taskList = (key: string, split: Split, q: string) =>
  pagesOf(['dataset', key, 'tasks', split, q], (cursor, signal) => {
    const query = { split, page_size: PAGE, q: q || undefined, cursor }
    return api.GET('/api/datasets/{key}/tasks', { params: { path: { key }, query }, signal })
  })

/** One task whole, wherever it stands; null: it is no longer there. */
export const taskQuery = (key: string, id: string) =>
  queryOptions({
    queryKey: ['dataset', key, 'task', id],
    queryFn: async () => {
      const wanted = Number(id)
      if (!Number.isSafeInteger(wanted) || wanted < 0) return null
      try {
        return await unwrap(
          api.GET('/api/datasets/{key}/tasks/{task_id}', {
            params: { path: { key, task_id: wanted } },
          }),
        )
      } catch (error) {
        if (toApiError(error).status === 404) return null
        throw error
      }
    },
  })

/** What the form of a dataset shows; null: of a new one. */
export const draftOf = (dataset: Dataset | null) => ({
  key: dataset?.key ?? '',
  name: dataset?.name ?? '',
  description: dataset?.description ?? '',
  source: dataset?.source ?? '',
  licence: dataset?.licence ?? '',
  benchmark: dataset?.benchmark ?? 'custom',
  verifier: dataset?.verifier ?? '',
})

/** Makes a new dataset, or changes of the given one what was changed here. */
export function useSaveDataset(dataset: Dataset | null, onSaved: (saved: Dataset) => void) {
  const client = useQueryClient()
  const [began] = useState(() => new Began(draftOf(dataset)))
  return useMutation({
    mutationFn: async (draft: ReturnType<typeof draftOf>) => {
      if (!dataset) return unwrap(api.POST('/api/datasets', { body: draft }))
      const params = { path: { key: dataset.key } }
      const body = await began.changes(draft, async () =>
        draftOf(await unwrap(api.GET('/api/datasets/{key}', { params }))),
      )
      return unwrap(api.PATCH('/api/datasets/{key}', { params, body }))
    },
    onSuccess: async (saved) => {
      client.setQueryData(datasetQuery(saved.key).queryKey, saved)
      await client.invalidateQueries({ queryKey: queries.datasets.queryKey })
      notify(strings.common.saved)
      onSaved(saved)
    },
  })
}

export function useDeleteDataset(key: string, onDeleted: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api.DELETE('/api/datasets/{key}', { params: { path: { key } } }),
    onSuccess: async () => {
      onDeleted()
      client.removeQueries({ queryKey: ['dataset', key] })
      await client.invalidateQueries({ queryKey: queries.datasets.queryKey })
    },
  })
}
