import { useMutation, useQueryClient } from '@tanstack/react-query'

import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { queries } from '@/lib/api/queries'

import type { FileColumn } from './file-columns'
import type { Split } from '@/lib/splits'
import type { UnderWay } from './use-under-way'

export type TaskImport = components['schemas']['TaskImport']

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
export function useColumns(key: string, underWay: UnderWay) {
  return useMutation({
    mutationFn: async (wanted: ImportWanted): Promise<FileColumn[]> => {
      const found = await underWay.run(({ header, ...sending }) =>
        unwrap(
          api.POST('/api/datasets/{key}/import/columns', {
            params: { path: { key }, header },
            body: { split: wanted.split, replace: wanted.replace, dry_run: true },
            bodySerializer: () => importForm({ ...wanted, mapping: {} }, true),
            ...sending,
          }),
        ),
      )
      return found.map(({ name, examples: [example = ''] }) => ({ name, example }))
    },
  })
}

export function useImport(
  key: string,
  underWay: UnderWay,
  dryRun: boolean,
  onDone: (report: TaskImport) => void,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (wanted: ImportWanted) =>
      underWay.run(({ header, ...sending }) =>
        unwrap(
          api.POST('/api/datasets/{key}/import', {
            params: { path: { key }, header },
            // The body is the form itself; the type describes its fields.
            body: { split: wanted.split, replace: wanted.replace, dry_run: dryRun },
            bodySerializer: () => importForm(wanted, dryRun),
            ...sending,
          }),
        ),
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
