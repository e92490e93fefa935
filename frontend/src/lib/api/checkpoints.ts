import { queryOptions, useQuery } from '@tanstack/react-query'

import type { components } from '@/generated/api'

import { api, unwrap } from './client'
import { cursorOf, pagesOf } from './pages'

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

/** In the place of a checkpoint: the method as it is before any training. */
export const UNTRAINED = 'untrained'

/** What runs use that name `name`; null: the default one. */
export const checkpointUsed = (
  known: readonly Checkpoint[] | undefined,
  name: string | null,
): Checkpoint | undefined =>
  known?.find((checkpoint) => (name === null ? checkpoint.is_default : checkpoint.name === name))

/** Those of a method that learns; nothing is asked for one that does not. */
export function useCheckpoints(method: string | null, learns: boolean): readonly Checkpoint[] {
  return useQuery({ ...checkpointsQuery(method), enabled: learns && method !== null }).data ?? []
}
