import { describe, expect, it } from 'vitest'

import { ApiError } from '@/lib/api/errors'

import { IdempotencyKey } from '@/lib/idempotency-key'

const refusal = (status: number, code = 'x'): ApiError =>
  new ApiError({ code, message: 'No.', remedy: '', status, fields: [], retryAfter: null })
const keyOf = (keys: IdempotencyKey, body: unknown): string => keys.header(body)['Idempotency-Key']

describe('IdempotencyKey', () => {
  it('stays with the same content until an answer has come', () => {
    const keys = new IdempotencyKey()
    const first = keyOf(keys, { query: 'a' })
    expect(keyOf(keys, { query: 'a' })).toBe(first)
    keys.failed(new TypeError('Failed to fetch'))
    expect(keyOf(keys, { query: 'a' })).toBe(first)
    keys.answered()
    expect(keyOf(keys, { query: 'a' })).not.toBe(first)
  })

  it('is another one for other content', () => {
    const keys = new IdempotencyKey()
    expect(keyOf(keys, { query: 'a' })).not.toBe(keyOf(keys, { query: 'b' }))
  })

  it.each([503, 429, 403, 400])(
    'is kept by an error %i: the first try may have arrived',
    (status) => {
      const keys = new IdempotencyKey()
      const first = keyOf(keys, 1)
      keys.failed(refusal(status))
      expect(keyOf(keys, 1)).toBe(first)
    },
  )

  it('is spent where it stands for another request', () => {
    const keys = new IdempotencyKey()
    const first = keyOf(keys, 1)
    keys.failed(refusal(409, 'idempotency_conflict'))
    expect(keyOf(keys, 1)).not.toBe(first)
  })
})
