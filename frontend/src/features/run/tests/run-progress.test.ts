import { describe, expect, it } from 'vitest'

import { progressOf } from '@/features/run/run-progress'
import { recording, replay } from '@/graph/tests/frames'

describe('how far a run is', () => {
  it('counts who has spoken among the agents so far, and says nothing of a run that has ended', () => {
    const frames = recording('self-consistency')
    const told = frames.map((_, index) => progressOf(replay(frames.slice(0, index + 1))))
    expect(told).toContain('0/5')
    expect(told).toContain('2/5')
    expect(told.at(-1)).toBeNull()
  })
})
