import { queryOptions, useQuery } from '@tanstack/react-query'

import type { components } from '@/generated/api'

import { api, unwrap } from './client'

export type Checkpoint = components['schemas']['Checkpoint']

/** The newest ones; older ones are found on their training's page. */
const SHOWN = 200

/** `method` null: of every method. */
export const checkpointsQuery = (method: string | null) =>
  queryOptions({
    queryKey: ['checkpoints', method],
    queryFn: () =>
      unwrap(
        api.GET('/api/checkpoints', {
          params: { query: { page_size: SHOWN, ...(method ? { method } : {}) } },
        }),
      ).then((page) => page.results),
  })

export const checkpointQuery = (name: string) =>
  queryOptions({
    queryKey: ['checkpoint', name],
    queryFn: () => unwrap(api.GET('/api/checkpoints/{name}', { params: { path: { name } } })),
  })

/** Those of a method that learns; nothing is asked for one that does not. */
export function useCheckpoints(method: string | null, learns: boolean): readonly Checkpoint[] {
  return useQuery({ ...checkpointsQuery(method), enabled: learns && method !== null }).data ?? []
}
