import { describe, expect, it } from 'vitest'

import { overSteps, overTime, valuesOf } from '@/components/agents/curve-lines'
import type { AgentCurve, AgentPoint } from '@/lib/api/agents'

import { agent } from './support'

const point = (step: number | null, mean_reward: number, second = 0): AgentPoint => ({
  at: `2026-11-24T10:00:${String(second).padStart(2, '0')}Z`,
  step,
  number: 1,
  count: 1,
  mean_reward,
  mean_cost: 0,
  interval: null,
  restored_from: '',
})

const curve = (...points: AgentPoint[]): AgentCurve => ({ agent: agent(), rewarded: 1, points })

describe('several agents on one axis', () => {
  it('a mean holds until the next reward, and is unknown before the first', () => {
    const { steps, points } = overSteps([curve(point(1, 0.5), point(4, 0.75)), curve(point(2, 1))])
    expect(steps).toEqual([1, 2, 4])
    expect(points.map((row) => valuesOf(row, 'mean_reward'))).toEqual([
      [0.5, 0.5, 0.75],
      [null, 1, 1],
    ])
  })

  it('time is cut into equal parts that end with the newest point', () => {
    const { steps, points, nameOf } = overTime([
      curve(point(null, 0, 0), point(null, 0.5, 8)),
      curve(point(null, 1, 2)),
    ])
    expect(steps).toEqual([0, 1, 2])
    expect(steps.map(nameOf)).toEqual([
      '2026-11-24T10:00:00.000Z',
      '2026-11-24T10:00:04.000Z',
      '2026-11-24T10:00:08.000Z',
    ])
    expect(points.map((row) => valuesOf(row, 'mean_reward'))).toEqual([
      [0, 0, 0.5],
      [null, 1, 1],
    ])
  })

  it('nothing is an axis of nothing', () => {
    expect(overTime([]).steps).toEqual([])
    expect(overSteps([curve()]).steps).toEqual([])
    expect(overTime([curve(point(null, 1))]).steps).toEqual([0])
  })
})
