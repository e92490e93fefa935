import { queryOptions, useQueries, useQuery } from '@tanstack/react-query'

import type { components } from '@/generated/api'
import { configFields, fieldsFrom, type ConfigField } from '@/lib/config-schema'

import { api, unwrap } from './client'
import { cursorOf, pagesOf } from './pages'
import type { Method } from './queries'

export type Checkpoint = components['schemas']['Checkpoint']

/** The longest page of the API. */
const PAGE = 200
/** To choose from: the newest thousand of a method. */
const MOST_PAGES = 5
const SHOWN = 50

interface Asked {
  readonly method?: string
  readonly job?: string
  readonly q?: string
  readonly page_size: number
  readonly cursor?: string
}

const pageOf = (query: Asked, signal: AbortSignal) =>
  unwrap(api.GET('/api/checkpoints', { params: { query }, signal }))

/** `method` null: of every method. */
export const checkpointsQuery = (method: string | null) =>
  queryOptions({
    queryKey: ['checkpoints', method],
    queryFn: async ({ signal }) => {
      const found: Checkpoint[] = []
      let cursor: string | null = null
      for (let pages = 0; pages < MOST_PAGES; pages += 1) {
        const page: Awaited<ReturnType<typeof pageOf>> = await pageOf(
          { page_size: PAGE, method: method ?? undefined, cursor: cursor ?? undefined },
          signal,
        )
        found.push(...page.results)
        cursor = cursorOf(page.next)
        if (cursor === null) break
      }
      return found
    },
  })

export const checkpointQuery = (name: string) =>
  queryOptions({
    queryKey: ['checkpoint', name],
    queryFn: () => unwrap(api.GET('/api/checkpoints/{name}', { params: { path: { name } } })),
  })

interface Listed {
  /** Left by this training; null: all. */
  readonly job: string | null
  /** In the name or the label. */
  readonly q: string
  /** What the list is known to hold: it is asked for again when that changes. */
  readonly names?: readonly string[]
}

/** The newest first, page after page. */
export const checkpointList = ({ job, q, names = [] }: Listed) =>
  pagesOf(['checkpoints', 'list', job, q, names], (cursor, signal) => {
    const query = { page_size: SHOWN, job: job ?? undefined, q: q || undefined, cursor }
    return api.GET('/api/checkpoints', { params: { query }, signal })
  })

/** What runs use that name `name`; null: the default one. */
export const checkpointUsed = (
  known: readonly Checkpoint[] | undefined,
  name: string | null,
): Checkpoint | undefined =>
  known?.find((checkpoint) => (name === null ? checkpoint.is_default : checkpoint.name === name))

export type FieldsOf = (method: Method | undefined, checkpoint: string | null) => ConfigField[]

/**
 * The fields of a method's settings. What a run does not say is what its checkpoint was trained
 * under, not the method's default: so that is what stands in them.
 */
export function useFieldsOf(methods: readonly Method[] = []): FieldsOf {
  const learning = methods.filter(({ learns }) => learns)
  const known = useQueries({ queries: learning.map(({ key }) => checkpointsQuery(key)) })
  return (method, checkpoint) => {
    const index = learning.findIndex(({ key }) => key === method?.key)
    const settings = checkpointUsed(known[index]?.data, checkpoint)?.run_config
    return fieldsFrom(configFields(method?.config_schema), settings ?? {})
  }
}

/** Those of a method that learns; nothing is asked for one that does not. */
export function useCheckpoints(method: string | null, learns: boolean): readonly Checkpoint[] {
  return useQuery({ ...checkpointsQuery(method), enabled: learns && method !== null }).data ?? []
}
