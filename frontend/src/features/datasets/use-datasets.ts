import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'

import type { components } from '@/generated/api'
import { api, patientFetch, unwrap } from '@/lib/api/client'
import { cursorOf } from '@/lib/api/cursor'
import { toApiError } from '@/lib/api/errors'
import { queries, type Dataset } from '@/lib/api/queries'
import { strings } from '@/strings/studio'
import { notify } from '@/lib/toasts'

import type { FileColumn } from './file-columns'

type Schemas = components['schemas']
export type Benchmark = Schemas['Benchmark']
export type Task = Schemas['Task']
export type TaskSummary = Schemas['TaskSummary']
export type TaskImport = Schemas['TaskImport']
export type DatasetValues = Schemas['DatasetRequest']

export const SPLITS = ['train', 'dev', 'test'] as const
export type Split = (typeof SPLITS)[number]

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
  infiniteQueryOptions({
    queryKey: ['dataset', key, 'tasks', split, q],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/api/datasets/{key}/tasks', {
          params: {
            path: { key },
            query: {
              split,
              page_size: PAGE,
              ...(q ? { q } : {}),
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => cursorOf(page.next),
    placeholderData: (before) => before,
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

export function useSaveDataset(dataset: Dataset | null, onSaved: (saved: Dataset) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ key, ...body }: DatasetValues) =>
      dataset
        ? unwrap(api.PATCH('/api/datasets/{key}', { params: { path: { key: dataset.key } }, body }))
        : unwrap(api.POST('/api/datasets', { body: { ...body, key } })),
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

export interface ImportWanted {
  readonly file: File | null
  readonly hubId: string
  readonly hubConfig: string
  readonly hubSplit: string
  readonly split: Split
  readonly benchmark: string
  readonly mapping: Readonly<Record<string, string>>
  readonly replace: boolean
}

/** Multipart for a file, as for the hub: one way, whatever is imported. */
export function importForm(wanted: ImportWanted, dryRun: boolean): FormData {
  const form = new FormData()
  if (wanted.file) form.set('file', wanted.file)
  else {
    form.set('hub_id', wanted.hubId.trim())
    if (wanted.hubConfig.trim()) form.set('hub_config', wanted.hubConfig.trim())
    if (wanted.hubSplit.trim()) form.set('hub_split', wanted.hubSplit.trim())
  }
  const mapping = Object.entries(wanted.mapping).filter(([, column]) => column.trim() !== '')
  if (mapping.length > 0) form.set('mapping', JSON.stringify(Object.fromEntries(mapping)))
  form.set('split', wanted.split)
  form.set('benchmark', wanted.benchmark)
  form.set('replace', String(wanted.replace))
  form.set('dry_run', String(dryRun))
  return form
}

/** The columns of what would be imported, as the server reads them. */
export function useColumns(key: string) {
  return useMutation({
    mutationFn: async (wanted: ImportWanted): Promise<FileColumn[]> => {
      const found = await unwrap(
        api.POST('/api/datasets/{key}/import/columns', {
          params: { path: { key } },
          body: { split: wanted.split, replace: wanted.replace, dry_run: true },
          bodySerializer: () => importForm({ ...wanted, mapping: {} }, true),
          fetch: patientFetch,
        }),
      )
      return found.map(({ name, examples: [example = ''] }) => ({ name, example }))
    },
  })
}

export function useImport(key: string, dryRun: boolean, onDone: (report: TaskImport) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (wanted: ImportWanted) =>
      unwrap(
        api.POST('/api/datasets/{key}/import', {
          params: { path: { key } },
          // The body is the form itself; the type describes its fields.
          body: { split: wanted.split, replace: wanted.replace, dry_run: dryRun },
          bodySerializer: () => importForm(wanted, dryRun),
          fetch: patientFetch,
        }),
      ),
    onSuccess: async (report) => {
      if (!dryRun) {
        await client.invalidateQueries({ queryKey: ['dataset', key] })
        await client.invalidateQueries({ queryKey: queries.datasets.queryKey })
      }
      onDone(report)
    },
  })
}
