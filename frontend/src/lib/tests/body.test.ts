import { expect, it } from 'vitest'

import { bodyOf } from '@/lib/api/body'
import { api } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { playApi } from '@/lib/tests/play-api'

it('a body is JSON', () => {
  expect(bodyOf({ budget: { max_cost: 0.5, max_tokens: null } })).toBe(
    '{"budget":{"max_cost":0.5,"max_tokens":null}}',
  )
})

it('a number that nobody can read is not sent as none', async () => {
  const requests = playApi(() => ({ body: {} }))
  const sent = api.POST('/api/runs', { body: { query: 'q', budget: { max_cost: Number.NaN } } })
  const error = toApiError(await sent.catch((thrown: unknown) => thrown))
  expect(error.code).toBe('unread_number')
  expect(error.remedy).toBe('Correct the fields marked in red.')
  expect(requests).toEqual([])
})
