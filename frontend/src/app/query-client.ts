import { QueryClient } from '@tanstack/react-query'

import { toApiError } from '@/lib/api/errors'

const TRANSIENT = new Set([0, 502, 503, 504])

/** These have taken long already, and asking again would take as long once more each time. */
const SLOW = new Set(['timeout', 'database_busy'])

const mayPass = (error: unknown): boolean => {
  const { code, status } = toApiError(error)
  return !SLOW.has(code) && TRANSIENT.has(status)
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
