import { beforeEach, describe, expect, it, vi } from 'vitest'

import { isLater, type RunFamily } from '@/components/run/family-views'
import { withFamilies } from '@/components/run/with-families'
import { FAMILIES } from '@/families/all'
import { FAMILIES as AT_FIRST } from '@/families/registry'
import type { Frame } from '@/graph/frames'
import { recording } from '@/graph/tests/frames'

beforeEach(() => void vi.useFakeTimers())

function fed(load: () => Promise<RunFamily>) {
  const told: (Frame | string)[] = []
  const feed = withFamilies(
    [{ tells: ['subtasks_planned', 'planner_asked'], parameter: 'subtask', load }],
    (frames) => told.push(...frames),
    ({ key }) => told.push(key),
  )
  return { told, feed }
}

const subtasks = async (): Promise<RunFamily> => {
  const found = FAMILIES.find(({ key }) => key === 'subtasks')
  return found ? Promise.resolve(found) : Promise.reject(new Error('There is none.'))
}

describe('families that are fetched later', () => {
  it('are never fetched for a run that tells of none', () => {
    const load = vi.fn(subtasks)
    const { told, feed } = fed(load)
    feed(recording('mashost'))
    expect(told).toEqual(recording('mashost'))
    expect(load).not.toHaveBeenCalled()
  })

  it('come before the frames that tell of them, which stay in order', async () => {
    const frames = recording('subtasks-voted')
    const first = frames.findIndex(
      (frame) => frame.type === 'trace' && frame.event.event === 'subtasks_planned',
    )
    const { told, feed } = fed(subtasks)
    for (const frame of frames) feed([frame])
    expect(told).toEqual(frames.slice(0, first))
    await vi.runAllTimersAsync()
    expect(told).toEqual([...frames.slice(0, first), 'subtasks', ...frames.slice(first)])
  })

  it('are waited for while the server is away, and at last done without', async () => {
    const frames = recording('subtasks-voted')
    const load = vi.fn(async () => Promise.reject<RunFamily>(new TypeError('offline')))
    const { told, feed } = fed(load)
    feed(frames)
    await vi.advanceTimersByTimeAsync(14_000)
    expect(told).toEqual([])
    await vi.runAllTimersAsync()
    expect(told).toEqual(frames)
    expect(load).toHaveBeenCalledTimes(5)
  })

  it('tell by all of their own events, and of the address, what they are', async () => {
    for (const later of AT_FIRST.filter(isLater)) {
      const { events, tab } = await later.load()
      expect(Object.keys(events)).toEqual(expect.arrayContaining([...later.tells]))
      expect(tab?.parameter).toBe(later.parameter)
    }
    expect(AT_FIRST).toHaveLength(FAMILIES.length)
  })
})
