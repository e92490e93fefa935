import { useMutation, useQueryClient } from '@tanstack/react-query'

import { api, unwrap } from '@/lib/api/client'
import { queries, type Endpoint } from '@/lib/api/queries'
import { strings } from '@/lib/strings'
import { notify } from '@/lib/toasts'

import type { EndpointRequest } from './endpoint-draft'

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
