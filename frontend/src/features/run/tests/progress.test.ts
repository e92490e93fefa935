import { describe, expect, it } from 'vitest'

import { FAMILIES } from '@/families/all'
import { plannedProgress, progressOf, spokenAgents } from '@/features/run/run-header'
import type { RunView } from '@/graph/run-view'
import { recording, replay } from '@/graph/tests/frames'

const planned = (view: RunView): number | null => plannedProgress(view, FAMILIES)?.total ?? null

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
    const known = views.filter((view) => planned(view) !== null)
    expect(new Set(known.map(planned))).toEqual(new Set([5]))
    expect(known.map(spokenAgents)).toContain(3)
    expect(planned(replay(frames))).toBeNull()
  })

  it('has none that is known where the team is built while it runs', () => {
    const frames = recording('mashost')
    const views = frames.map((_, index) => replay(frames.slice(0, index + 1)))
    expect(views.map(spokenAgents)).toContain(1)
    expect(new Set(views.map(planned))).toEqual(new Set([null]))
  })

  it('is as far as its subtasks are answered where its agents are found as it goes', () => {
    const view = replay(recording('subtasks-voted').slice(0, 30))
    expect(plannedProgress(view, FAMILIES)).toMatchObject({ done: 3, total: 8 })
    expect(planned(replay(recording('subtasks-voted')))).toBeNull()
    expect(planned(replay(recording('mashost').slice(0, 20)))).toBeNull()
  })
})
