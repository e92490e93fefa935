import { describe, expect, it } from 'vitest'

import {
  aligned,
  latestOf,
  metricNames,
  nearestStep,
  smoothed,
  withSteps,
  type Step,
} from '@/features/training/curves'

const at = (step: number, reward: number): Step => ({ step, values: { reward } })

describe('steps that arrive', () => {
  it('are appended', () => {
    expect(withSteps([at(1, 0)], [at(2, 1), at(3, 2)]).map(({ step }) => step)).toEqual([1, 2, 3])
  })

  it('may repeat or come late: the newest word counts, the order stays', () => {
    const steps = withSteps([at(1, 0), at(3, 0)], [at(3, 5), at(2, 4)])
    expect(steps).toEqual([at(1, 0), at(2, 4), at(3, 5)])
  })

  it('leave what is known alone when there are none', () => {
    const known = [at(1, 0)]
    expect(withSteps(known, [])).toBe(known)
  })
})

describe('smoothing', () => {
  it('with weight 0 changes nothing', () => {
    expect(smoothed([1, 5, 2], 0)).toEqual([1, 5, 2])
  })

  it('begins at the first value and follows s = (w·s + (1-w)·x) / (1 - w^t)', () => {
    const [first, second, third] = smoothed([1, 3, 5], 0.5)
    expect(first).toBeCloseTo(1)
    expect(second).toBeCloseTo((0.25 * 1 + 0.5 * 3) / 0.75)
    expect(third).toBeCloseTo((0.125 * 1 + 0.25 * 3 + 0.5 * 5) / 0.875)
  })

  it('of a constant is that constant, whatever the weight', () => {
    for (const value of smoothed(Array<number>(50).fill(0.3), 0.97)) expect(value).toBeCloseTo(0.3)
  })

  it('keeps gaps, and does not fall to zero over them', () => {
    expect(smoothed([2, null, 2], 0.9)).toEqual([2, null, 2])
  })
})

describe('several trainings on one axis', () => {
  it('have every step of any of them, and a gap where one has none', () => {
    const { steps, rows } = aligned([[at(1, 10), at(3, 30)], [at(2, 5)]], 'reward')
    expect(steps).toEqual([1, 2, 3])
    expect(rows).toEqual([
      [10, null, 30],
      [null, 5, null],
    ])
  })

  it('have a gap where a step lacks the metric', () => {
    expect(aligned([[at(1, 0)]], 'accuracy').rows).toEqual([[null]])
  })
})

describe('names and values', () => {
  it('put what matters first and roles last', () => {
    const steps = [{ step: 1, values: { 'role/critic': 1, loss: 1, reward: 1, depth: 1 } }]
    expect(metricNames([steps], ['reward'])).toEqual(['reward', 'depth', 'loss', 'role/critic'])
  })

  it('find the newest value and the nearest step', () => {
    expect(latestOf([at(1, 4), { step: 2, values: {} }], 'reward')).toBe(4)
    expect(latestOf([], 'reward')).toBeNull()
    expect(nearestStep([1, 5, 9], 6)).toBe(5)
    expect(nearestStep([], 6)).toBeNull()
  })
})
