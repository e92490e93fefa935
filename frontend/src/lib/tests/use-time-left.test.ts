import { describe, expect, it } from 'vitest'

import { timeLeft } from '@/lib/use-time-left'

describe('the time left', () => {
  it('goes on at the pace so far', () => {
    expect(timeLeft({ at: 0, done: 10 }, { at: 20_000, done: 30 }, 100)).toBe(70)
  })

  it('is unknown before anything was done, and none at the end', () => {
    expect(timeLeft({ at: 0, done: 10 }, { at: 20_000, done: 10 }, 100)).toBeNull()
    expect(timeLeft({ at: 0, done: 10 }, { at: 20_000, done: 100 }, 100)).toBeNull()
  })
})
