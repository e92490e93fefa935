import { QueryClient } from '@tanstack/react-query'

import { toApiError } from '@/lib/api/errors'

const TRANSIENT = new Set([0, 502, 503, 504])

/** Only what may pass by itself is tried again; a refusal or a bug is shown at once. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && TRANSIENT.has(toApiError(error).status),
        staleTime: 5_000,
      },
      mutations: { retry: false },
    },
  })
