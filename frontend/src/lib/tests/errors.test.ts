import { describe, expect, it } from 'vitest'

import { ApiError, errorFromResponse, fieldMessage, toApiError } from '@/lib/api/errors'

const response = (status: number, headers: HeadersInit = {}): Response =>
  new Response(null, { status, headers })

describe('errorFromResponse', () => {
  it('keeps what the API says', () => {
    const error = errorFromResponse(response(400), {
      error: {
        code: 'unknown_method',
        message: 'There is no method “x”.',
        remedy: 'Use one of: direct.',
        fields: [{ field: 'method', code: 'unknown_method', message: 'There is no method “x”.' }],
      },
    })
    expect(error).toMatchObject({
      code: 'unknown_method',
      remedy: 'Use one of: direct.',
      status: 400,
    })
    expect(fieldMessage(error, 'method')).toBe('There is no method “x”.')
    expect(fieldMessage(error, 'query')).toBeUndefined()
  })

  it.each([null, 'Bad gateway', [], { error: 'text' }, { error: { code: 7, fields: 'no' } }])(
    'names cause and remedy when the body is %j',
    (body) => {
      const error = errorFromResponse(response(502), body)
      expect(error.code).toBe('server_error')
      expect(error.message).toContain('502')
      expect(error.remedy).not.toBe('')
      expect(error.fields).toEqual([])
    },
  )

  it('reads how long to wait', () => {
    expect(errorFromResponse(response(429, { 'Retry-After': '30' }), null).retryAfter).toBe(30)
    expect(errorFromResponse(response(429), null).retryAfter).toBeNull()
    const date = { 'Retry-After': 'Sat, 21 Nov 2026 12:00:00 GMT' }
    expect(errorFromResponse(response(503, date), null).retryAfter).toBeNull()
  })
})

describe('toApiError', () => {
  it.each([
    [new TypeError('Failed to fetch'), 'unreachable'],
    [new DOMException('', 'TimeoutError'), 'timeout'],
    [new Error('boom'), 'unexpected'],
    ['boom', 'unexpected'],
  ])('%s becomes %s', (thrown, code) => {
    const error = toApiError(thrown)
    expect(error.code).toBe(code)
    expect(error.remedy).not.toBe('')
  })

  it('leaves an ApiError as it is', () => {
    const error = errorFromResponse(response(404), null)
    expect(error).toBeInstanceOf(ApiError)
    expect(toApiError(error)).toBe(error)
  })
})
