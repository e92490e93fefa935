import { QueryClient } from '@tanstack/react-query'

import { toApiError } from '@/lib/api/errors'

const TRANSIENT = new Set([0, 502, 503, 504])

/** A timeout is not among it: it has taken 30 s already, and asking again would take them thrice. */
const mayPass = (error: unknown): boolean => {
  const { code, status } = toApiError(error)
  return code !== 'timeout' && TRANSIENT.has(status)
}

/** Only what may pass by itself is tried again; a refusal or a bug is shown at once.
 *
 * Requests are made offline, too. Otherwise they would wait without an end or an error, and what
 * somebody gave up on would be sent later by itself. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        // Off where requests are made offline, unless it is asked for.
        refetchOnReconnect: true,
        retry: (failures, error) => failures < 2 && mayPass(error),
        staleTime: 5_000,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
