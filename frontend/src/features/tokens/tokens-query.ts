import { queryOptions } from '@tanstack/react-query'

import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'

export type Token = components['schemas']['Token']
export type Scope = Token['scopes'][number]

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: () => unwrap(api.GET('/api/me/tokens')),
})
