import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { feedOf as FeedOf } from '@/features/training/job-feed'
import { stubSources, type FakeSource } from '@/lib/stream/tests/fakes'
import { playApi } from '@/lib/tests/play-api'

import { training } from './support'

let sources: FakeSource[] = []
let feedOf: typeof FeedOf

beforeEach(async () => {
  // A connection of its own: the page has one, which other tests have opened.
  vi.resetModules()
  ;({ feedOf } = await import('@/features/training/job-feed'))
  vi.useFakeTimers()
  sources = stubSources()
})
afterEach(() => {
  vi.runOnlyPendingTimers()
})

const settle = (milliseconds = 400): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds)
const watcher = () => ({ onJob: vi.fn(), onGone: vi.fn() })
const step = (job: string, number: number) => ({
  job,
  step: number,
  at: `2026-01-01T00:00:0${number}Z`,
  values: { reward: number },
})

describe('what a tab hears of a training', () => {
  it('is asked for once, however many views there are', async () => {
    const feed = feedOf('once')
    const stops = [feed.watch(watcher()), feed.watch(watcher())]
    await settle()
    expect(sources).toHaveLength(1)
    sources[0]?.emit('metric', step('once', 1))
    await settle()
    expect([feed.curve.steps, feed.lastAt]).toEqual([[1], '2026-01-01T00:00:01Z'])
    for (const stop of stops) stop()
    await settle(6_000)
    expect(sources[0]?.closed).toBe(true)
  })

  it('is drawn a few times a second, however fast it comes', async () => {
    const feed = feedOf('fast')
    const viewer = vi.fn()
    const stop = feed.watch(watcher())
    feed.view(viewer)
    await settle()
    for (let number = 1; number < 10; number += 1) {
      sources[0]?.emit('metric', step('fast', number))
      await settle(40)
    }
    await settle()
    expect(feed.curve.steps).toHaveLength(9)
    expect(viewer.mock.calls.length).toBeLessThanOrEqual(3)
    stop()
  })

  it('goes on after its end with what is new, when somebody has resumed it', async () => {
    const feed = feedOf('resumed')
    const stop = feed.watch(watcher())
    await settle()
    sources[0]?.emit('metric', step('resumed', 1))
    sources[0]?.emit('job', training({ id: 'resumed', status: 'failed', finished_at: 'x' }))
    await settle()
    feed.follow()
    await settle()
    expect(sources).toHaveLength(2)
    expect(sources[1]?.query.get('after')).toBe('resumed:1')
    feed.follow()
    await settle()
    expect(sources).toHaveLength(2)
    stop()
  })

  it('ends when the training is gone', async () => {
    playApi(() => ({ status: 404, body: null }))
    const feed = feedOf('deleted')
    const one = watcher()
    const stop = feed.watch(one)
    await settle()
    for (let failure = 0; failure < 4; failure += 1) {
      sources.at(-1)?.emit('error')
      await settle(8_000)
    }
    expect(one.onGone).toHaveBeenCalledTimes(1)
    expect(feed.state).toBe('gone')
    stop()
  })
})
