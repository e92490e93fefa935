import { queryOptions } from '@tanstack/react-query'

import type { components } from '@/generated/api'
import type { DesignSpec } from '@/generated/designs'
import { api, unwrap } from '@/lib/api/client'
import { pagesOf } from '@/lib/api/pages'
import { fileText } from '@/lib/file-text'
import { filterParams, type FilterKind, type FiltersOf } from '@/lib/use-list-filters'

import type { Checked } from './checker'

type Schemas = components['schemas']
export type DesignRow = Schemas['DesignListed']
export type DesignProblem = Schemas['DesignProblem']
export type DesignHead = Schemas['DesignRevision']
export type DesignVersionRow = Schemas['DesignVersionListed']
/** The API's schema says that `draft` is an object; which one, the generated types say. */
export type Design = Omit<Schemas['Design'], 'draft'> & { readonly draft: DesignSpec }

export interface Turned {
  readonly draft: DesignSpec
  readonly changes: readonly string[]
}

const LIST_PAGE = 50

export const FILTERS: FilterKind<never, never> = { statuses: [], own: [] }
export type DesignFilters = FiltersOf<typeof FILTERS>

const path = (design_id: string) => ({ params: { path: { design_id } } })
const asDesign = (body: Schemas['Design']): Design => body as unknown as Design

export const designList = (filters: DesignFilters) =>
  pagesOf(['designs', filters], (cursor, signal) => {
    const { mine, q } = filterParams(FILTERS, filters)
    const query = { page_size: LIST_PAGE, mine, q, cursor }
    return api.GET('/api/designs', { params: { query }, signal })
  })

export const readDesign = async (id: string): Promise<Design> =>
  asDesign(await unwrap(api.GET('/api/designs/{design_id}', path(id))))

export const readDesignHead = (id: string): Promise<DesignHead> =>
  unwrap(api.GET('/api/designs/{design_id}/revision', path(id)))

export const designQuery = (id: string) =>
  queryOptions({
    queryKey: ['design', id],
    queryFn: () => readDesign(id),
    // The designer holds its own copy: one that is fetched behind its back would only confuse.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

export const toolsQuery = queryOptions({
  queryKey: ['tools'],
  queryFn: () => unwrap(api.GET('/api/tools')),
  staleTime: Number.POSITIVE_INFINITY,
})

export const createDesign = async (body: Schemas['DesignWantedRequest']): Promise<Design> =>
  asDesign(await unwrap(api.POST('/api/designs', { body })))

export const importDesign = async (file: File, keep_script: boolean): Promise<Design> => {
  const body = { text: await fileText(file), file_name: file.name, keep_script }
  return asDesign(await unwrap(api.POST('/api/designs/import', { body })))
}

export type FileFormat = 'json' | 'graphml' | 'mermaid' | 'python' | 'script'

export async function exportDesign(
  id: string,
  format: FileFormat,
): Promise<{ file: Blob; name: string }> {
  const { data, response } = await api.GET('/api/designs/{design_id}/export', {
    params: { path: { design_id: id }, query: { format } },
    parseAs: 'blob',
  })
  const named = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')
  return { file: data as unknown as Blob, name: named?.[1] ?? `design.${format}` }
}

/** What a program does otherwise than the design, a sentence each. */
export const programLeavesOut = async (
  id: string,
  format: 'python' | 'script',
): Promise<readonly string[]> =>
  (
    await unwrap(
      api.GET('/api/designs/{design_id}/export/left-out', {
        params: { path: { design_id: id }, query: { format } },
      }),
    )
  ).left_out

export const saveDesign = async (
  id: string,
  body: { revision: number; name?: string; draft?: DesignSpec },
): Promise<Design> =>
  asDesign(
    await unwrap(
      api.PATCH('/api/designs/{design_id}', {
        ...path(id),
        body: body as unknown as Schemas['PatchedDesignChangeRequest'],
      }),
    ),
  )

/** What would be wrong with a design if its draft were another. */
export const checkDesign =
  (design: string) =>
  async (draft: DesignSpec, signal: AbortSignal): Promise<Checked> => {
    const body = { design, draft } as unknown as Schemas['DesignCheckRequest']
    return checkedOf(await unwrap(api.POST('/api/designs/check', { body, signal })))
  }

/** The API's schema says that `meaning` is an object; which one, the generated types of events say. */
export const checkedOf = ({
  problems,
  meaning,
}: Readonly<{ problems: readonly DesignProblem[]; meaning: unknown }>): Checked => ({
  problems,
  meaning: meaning as Checked['meaning'],
})

/** A draft as a script, or as a drawing. */
export const turnDesign = async (
  draft: DesignSpec,
  into: 'script' | 'drawing',
): Promise<Turned> => {
  const body = { draft, into } as unknown as Schemas['DesignTurnRequest']
  return (await unwrap(api.POST('/api/designs/turn', { body }))) as unknown as Turned
}

export const deleteDesign = (id: string): Promise<unknown> =>
  unwrap(api.DELETE('/api/designs/{design_id}', path(id)))

export const nameVersion = (
  id: string,
  body: Schemas['VersionWantedRequest'],
): Promise<DesignVersionRow> =>
  unwrap(api.POST('/api/designs/{design_id}/versions', { ...path(id), body }))

const versionPath = (design_id: string, number: number) => ({
  params: { path: { design_id, number } },
})

export const versionQuery = (id: string, number: number) =>
  queryOptions({
    queryKey: ['design', id, 'version', number],
    queryFn: async () => {
      const version = await unwrap(
        api.GET('/api/designs/{design_id}/versions/{number}', versionPath(id, number)),
      )
      return version.spec as unknown as DesignSpec
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

export const restoreVersion = async (
  id: string,
  number: number,
  revision: number,
): Promise<Design> =>
  asDesign(
    await unwrap(
      api.POST('/api/designs/{design_id}/versions/{number}/restore', {
        ...versionPath(id, number),
        body: { revision },
      }),
    ),
  )
