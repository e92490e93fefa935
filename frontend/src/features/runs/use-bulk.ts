import { useMutation, useQueryClient } from '@tanstack/react-query'

import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { useIdempotencyKey } from '@/lib/idempotency-key'
import { strings } from '@/strings/studio'
import { notify, notifyProblem } from '@/lib/toasts'

const words = strings.runs.bulk

export interface Deed {
  readonly action: components['schemas']['DeedRequest']['action']
  readonly label?: string
}

/** Does one thing to many runs, and says what came of it. */
export function useBulk() {
  const client = useQueryClient()
  const key = useIdempotencyKey()
  return useMutation({
    mutationFn: ({ ids, deed }: { ids: readonly string[]; deed: Deed }) => {
      const body = { runs: [...ids], label: '', ...deed }
      return unwrap(api.POST('/api/runs/bulk', { body, params: { header: key.header(body) } }))
    },
    onSuccess: async (outcomes, { deed }) => {
      key.answered()
      const refusals = outcomes.flatMap(({ refusal }) => (refusal ? [refusal] : []))
      const count = outcomes.length - refusals.length
      if (count > 0) notify(words.done[deed.action](count))
      const [first] = refusals
      if (first)
        notifyProblem({
          message: words.refused(refusals.length, first.message),
          remedy: first.remedy,
        })
      await client.invalidateQueries({ queryKey: ['runs'] })
    },
    onError: (error) => {
      key.failed(error)
      notifyProblem(toApiError(error))
    },
  })
}
