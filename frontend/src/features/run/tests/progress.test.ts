import { describe, expect, it } from 'vitest'

import { plannedAgents, progressOf, spokenAgents } from '@/features/run/progress'
import { recording, replay } from '@/graph/tests/frames'

describe('how far a run is', () => {
  it('counts who has spoken among the agents so far, and says nothing of a run that has ended', () => {
    const frames = recording('self-consistency')
    const told = frames.map((_, index) => progressOf(replay(frames.slice(0, index + 1))))
    expect(told).toContain('0/5')
    expect(told).toContain('2/5')
    expect(told.at(-1)).toBeNull()
  })

  it('has an end where the team was planned, while it runs', () => {
    const frames = recording('self-consistency')
    const views = frames.map((_, index) => replay(frames.slice(0, index + 1)))
    const planned = views.filter((view) => plannedAgents(view) !== null)
    expect(new Set(planned.map(plannedAgents))).toEqual(new Set([5]))
    expect(planned.map(spokenAgents)).toContain(3)
    expect(plannedAgents(replay(frames))).toBeNull()
  })

  it('has none that is known where the team is built while it runs', () => {
    const frames = recording('mashost')
    const views = frames.map((_, index) => replay(frames.slice(0, index + 1)))
    expect(views.map(spokenAgents)).toContain(1)
    expect(new Set(views.map(plannedAgents))).toEqual(new Set([null]))
  })
})
