import { MutationObserver, onlineManager, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { createQueryClient } from '@/app/query-client'
import { ApiError } from '@/lib/api/errors'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  onlineManager.setOnline(true)
})

/** How often it was asked for within a minute, and what came of it. */
async function asked(thrown: Error): Promise<readonly [number, string]> {
  const queryFn = vi.fn(() => Promise.reject(thrown))
  const observer = new QueryObserver(createQueryClient(), { queryKey: ['it'], queryFn })
  const leave = observer.subscribe(() => undefined)
  await vi.advanceTimersByTimeAsync(60_000)
  leave()
  return [queryFn.mock.calls.length, observer.getCurrentResult().status]
}

describe('a request', () => {
  it('is made again when the server is away, not when it was too slow', async () => {
    expect(await asked(new TypeError('Failed to fetch'))).toEqual([3, 'error'])
    expect(await asked(new DOMException('', 'TimeoutError'))).toEqual([1, 'error'])
    const busy = { message: 'Busy.', remedy: '', status: 503, fields: [], retryAfter: 10 }
    expect(await asked(new ApiError({ code: 'database_busy', ...busy }))).toEqual([1, 'error'])
  })

  it('that only reads ends in an error offline', async () => {
    onlineManager.setOnline(false)
    expect(await asked(new TypeError('Failed to fetch'))).toEqual([3, 'error'])
  })

  it('that changes something ends in an error offline, and is not made later', async () => {
    onlineManager.setOnline(false)
    const mutationFn = vi.fn(() => Promise.reject(new TypeError('Failed to fetch')))
    const observer = new MutationObserver(createQueryClient(), { mutationFn })
    const ended = observer.mutate().catch(() => 'an error')
    expect(await ended).toBe('an error')
    onlineManager.setOnline(true)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(mutationFn).toHaveBeenCalledTimes(1)
  })
})
