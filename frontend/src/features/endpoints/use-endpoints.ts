import { useState } from 'react'

import type { components } from '@/generated/api'
import { Began } from '@/lib/api/began'
import { api, unwrap } from '@/lib/api/client'
import { pagesOf } from '@/lib/api/pages'
import { queries, type Endpoint } from '@/lib/api/queries'
import { useChange } from '@/lib/api/use-change'
import { strings } from '@/strings/studio'
import { notify } from '@/lib/toasts'

import { draftOf, requestOf, type EndpointDraft } from './endpoint-draft'

export type EndpointChange = components['schemas']['EndpointChange']

const PAGE = 20

export const pathOf = ({ key }: Endpoint) => ({ params: { path: { key } } })

export const changesOf = (key: string) =>
  pagesOf(['endpoint', key, 'changes'], (cursor, signal) => {
    const params = { path: { key }, query: { page_size: PAGE, cursor } }
    return api.GET('/api/endpoints/{key}/changes', { params, signal })
  })

/** Makes a new endpoint, or changes of the given one what was changed here. */
export function useSaveEndpoint(endpoint: Endpoint | null, onSaved: () => void) {
  const read = (known: Endpoint | null) => requestOf(draftOf(known), endpoint)
  const [began] = useState(() => new Began(read(endpoint)))
  return useChange(
    async (draft: EndpointDraft) => {
      const wanted = requestOf(draft, endpoint)
      if (!endpoint) return unwrap(api.POST('/api/endpoints', { body: wanted }))
      const body = await began.changes(wanted, async () =>
        read(await unwrap(api.GET('/api/endpoints/{key}', pathOf(endpoint)))),
      )
      return unwrap(api.PATCH('/api/endpoints/{key}', { ...pathOf(endpoint), body }))
    },
    // The changes of every endpoint: a new default is a change of the one before.
    [queries.endpoints.queryKey, ['endpoint']],
    () => {
      notify(strings.common.saved)
      onSaved()
    },
  )
}

export const useDeleteEndpoint = (endpoint: Endpoint, onDeleted: () => void) =>
  useChange(
    () => api.DELETE('/api/endpoints/{key}', pathOf(endpoint)),
    [queries.endpoints.queryKey],
    onDeleted,
  )
