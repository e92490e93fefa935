import { describe, expect, it, vi } from 'vitest'

import { constructionOf } from '@/families/construction/steps'
import { FAMILIES } from '@/families/all'
import * as folding from '@/graph/fold-event'
import { paceOf, Replay } from '@/graph/replay'
import { currentAttempt } from '@/graph/run-view'

import {
  agentFinished,
  agentStarted,
  attemptIn,
  recording,
  replay as folded,
  trace,
  type Recording,
} from './frames'

const attemptOf = (name: Recording) => attemptIn(folded(recording(name)))

describe('a replay', () => {
  it('comes to the same as folding that many events, wherever it leaps', () => {
    const whole = attemptOf('mashost')
    const replay = new Replay(whole, FAMILIES)
    const events = whole.events.toArray()
    const order = [events.length, 3, 90, 1, 64, 65, 0, 128, 17, events.length - 1]
    for (const count of order) {
      const straight = currentAttempt(
        folded(events.slice(0, count).map((each) => ({ type: 'trace', run: '', ...each }))),
      )
      const seen = replay.after(count)
      expect(seen.events.length).toBe(Math.min(count, events.length))
      expect(seen.families).toEqual(straight?.families ?? {})
      expect([...seen.agents]).toEqual([...(straight?.agents ?? [])])
      expect(seen.edges).toEqual(straight?.edges ?? [])
      expect(seen.outcome).toEqual(straight?.outcome ?? null)
    }
    expect(replay.after(events.length)).toBe(whole)
  })

  it('has a moment for each step and each agent, and edges come with who reads along them', () => {
    const whole = attemptOf('mashost')
    const replay = new Replay(whole, FAMILIES)
    const { steps } = constructionOf(whole)
    const kinds = replay.moments.map(({ event }) => event.event)
    expect(kinds.filter((kind) => kind === 'node_sampled')).toHaveLength(steps.length)
    expect(kinds).not.toContain('edges_sampled')
    expect(kinds[0]).toBe('run_started')
    expect(replay.moments.at(-1)?.events).toBe(whole.events.length)
    const drawn = replay.moments.find(
      ({ event }) => event.event === 'node_sampled' && event.step === 2,
    )
    const then = constructionOf(replay.after(drawn?.events ?? 0)).steps
    expect(then[1]?.edges).toEqual(steps[1]?.edges)
  })

  it('leaps through thousands of events without telling all of them again', () => {
    const frames = Array.from({ length: 5_000 }, (_, index) => {
      const id = `a${Math.floor(index / 2)}`
      return trace(index + 1, index % 2 === 0 ? agentStarted(id, index) : agentFinished(id, index))
    })
    const replay = new Replay(attemptIn(folded(frames)), FAMILIES)
    expect(replay.moments).toHaveLength(5_000)
    expect(replay.after(4_000).agents.size).toBe(2_000)
    const folds = vi.spyOn(folding, 'foldEvent')
    expect(replay.after(4_001).agents.get('a2000')?.status).toBe('active')
    expect(replay.after(2).agents.size).toBe(1)
    expect(folds.mock.calls.length).toBeGreaterThan(0)
    expect(folds.mock.calls.length).toBeLessThan(64 + 3)
    folds.mockRestore()
  })

  it('is slow enough to be followed, and over in half a minute however long the run was', () => {
    expect(paceOf(5)).toEqual({ stride: 1, milliseconds: 900 })
    for (const moments of [100, 500, 501, 5_000, 40_000]) {
      const { stride, milliseconds } = paceOf(moments)
      const steps = Math.ceil(moments / stride)
      expect(steps * milliseconds).toBeCloseTo(30_000)
      expect(milliseconds).toBeGreaterThanOrEqual(60)
    }
  })
})
