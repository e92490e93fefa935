import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query'

import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { cursorOf } from '@/lib/api/cursor'
import { queries, type Endpoint } from '@/lib/api/queries'
import { strings } from '@/strings/studio'
import { notify } from '@/lib/toasts'

import type { EndpointRequest } from './endpoint-draft'

export type EndpointChange = components['schemas']['EndpointChange']

const PAGE = 20

export const changesOf = (key: string) =>
  infiniteQueryOptions({
    queryKey: ['endpoint', key, 'changes'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET('/api/endpoints/{key}/changes', {
          params: {
            path: { key },
            query: { page_size: PAGE, ...(pageParam ? { cursor: pageParam } : {}) },
          },
        }),
      ),
    getNextPageParam: (page) => cursorOf(page.next),
  })

/** Makes a new endpoint, or changes the given one. */
export function useSaveEndpoint(endpoint: Endpoint | null, onSaved: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ key, ...body }: EndpointRequest) =>
      endpoint
        ? unwrap(
            api.PATCH('/api/endpoints/{key}', { params: { path: { key: endpoint.key } }, body }),
          )
        : unwrap(api.POST('/api/endpoints', { body: { ...body, key } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: queries.endpoints.queryKey })
      // Of every endpoint: a new default is a change of the one before.
      await client.invalidateQueries({ queryKey: ['endpoint'] })
      notify(strings.common.saved)
      onSaved()
    },
  })
}

export function useDeleteEndpoint(endpoint: Endpoint, onDeleted: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () =>
      api.DELETE('/api/endpoints/{key}', { params: { path: { key: endpoint.key } } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: queries.endpoints.queryKey })
      onDeleted()
    },
  })
}
