import { describe, expect, it } from 'vitest'

import { ApiError } from '@/lib/api/errors'

import { IdempotencyKey } from '@/lib/idempotency-key'

const refusal = (status: number): ApiError =>
  new ApiError({ code: 'x', message: 'No.', remedy: '', status, fields: [], retryAfter: null })
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

  it('is spent by a refusal and kept by an error of the server', () => {
    const keys = new IdempotencyKey()
    const first = keyOf(keys, 1)
    keys.failed(refusal(503))
    expect(keyOf(keys, 1)).toBe(first)
    keys.failed(refusal(409))
    expect(keyOf(keys, 1)).not.toBe(first)
  })
})
