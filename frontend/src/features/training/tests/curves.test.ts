import { describe, expect, it } from 'vitest'

import type { Value } from '@/components/chart/chart-options'
import { Curve, type Step } from '@/features/training/curve'
import {
  axisOf,
  defaultMetrics,
  inReadingOrder,
  nearestStep,
  onAxis,
  shownAxis,
  smoothed,
} from '@/features/training/curves'

const at = (step: number, reward: number): Step => ({ step, values: { reward } })

function curveOf(...steps: Step[]): Curve {
  const curve = new Curve()
  curve.add(steps)
  return curve
}

describe('steps that arrive', () => {
  it('are appended in place, and told by the version', () => {
    const curve = curveOf(at(1, 0))
    const { steps, version } = curve
    const column = curve.column('reward')
    curve.add([at(2, 1), at(3, 2)])
    expect(curve.steps).toBe(steps)
    expect(steps).toEqual([1, 2, 3])
    expect(curve.column('reward')).toBe(column)
    expect(column).toEqual([0, 1, 2])
    expect(curve.version).toBe(version + 1)
  })

  it('may come again, which changes nothing', () => {
    const curve = curveOf(at(1, 0), at(2, 1))
    const { version } = curve
    curve.add([at(1, 0), at(2, 1)])
    expect(curve.column('reward')).toEqual([0, 1])
    expect(curve.version).toBe(version)
  })

  it('may come late: the order stays, and every column with it', () => {
    const curve = curveOf(at(1, 0), at(3, 5), { step: 4, values: { loss: 9 } })
    curve.add([{ step: 2, values: { reward: 4, late: 1 } }])
    expect(curve.steps).toEqual([1, 2, 3, 4])
    expect(curve.column('reward')).toEqual([0, 4, 5, null])
    expect(curve.column('loss')).toEqual([null, null, null, 9])
    expect(curve.column('late')).toEqual([null, 1, null, null])
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

  it('goes on with a list that has grown as if it had been told at once', () => {
    const values: Value[] = [1, 3]
    const begun = smoothed(values, 0.5)
    values.push(null, 5)
    expect(smoothed(values, 0.5)).toBe(begun)
    expect(begun).toEqual(smoothed([1, 3, null, 5], 0.5))
    expect(smoothed(values, 0)).toEqual([1, 3, null, 5])
  })
})

describe('several trainings on one axis', () => {
  const [odd, even] = [curveOf(at(1, 10), at(3, 30)), curveOf(at(2, 5))]

  it('have every step of any of them, and a gap where one has none', () => {
    const axis = axisOf([odd, even])
    expect(axis).toEqual([1, 2, 3])
    expect([odd, even].map((one) => onAxis(axis, one, one.column('reward')))).toEqual([
      [10, null, 30],
      [null, 5, null],
    ])
  })

  it('are not copied where they are one, or where one has the steps of all', () => {
    const long = curveOf(at(1, 1), at(2, 2), at(3, 3))
    expect(axisOf([long])).toBe(long.steps)
    expect(axisOf([even, long])).toBe(long.steps)
    const column = long.column('reward')
    expect(onAxis(long.steps, long, column)).toBe(column)
  })

  it('begin where a shown metric is known first', () => {
    const late = curveOf(
      { step: 1, values: { loss: 2 } },
      { step: 2, values: { loss: 1 } },
      at(3, 7),
    )
    const axis = shownAxis([late], ['reward'])
    expect(axis).toEqual([3])
    expect(onAxis(axis, late, late.column('reward'))).toEqual([7])
    expect(shownAxis([late], ['reward', 'loss'])).toBe(late.steps)
    expect(shownAxis([late], ['unknown'])).toBe(late.steps)
  })

  it('have a gap where a step lacks the metric', () => {
    expect(odd.column('accuracy')).toEqual([null, null])
  })

  it('say 0 where nobody played a role, also at a step that comes late', () => {
    const [played, other] = [{ 'role/critic': 0.2 }, { 'role/solver': 1 }]
    const curve = curveOf({ step: 1, values: other }, { step: 2, values: played })
    curve.add([{ step: 4, values: other }])
    curve.add([{ step: 3, values: other }])
    expect(curve.column('role/critic')).toEqual([0, 0.2, 0, 0])
    expect(curve.column('role/planner')).toEqual([0, 0, 0, 0])
    expect(curve.column('loss')).toEqual([null, null, null, null])
  })
})

describe('names and values', () => {
  it('draw what is preferred, and fill up with what is known first', () => {
    const preferred = ['reward', 'accuracy', 'tokens']
    const all = ['reward', 'accuracy', 'tokens', 'loss']
    expect(defaultMetrics(preferred, all)).toEqual(preferred)
    expect(defaultMetrics(preferred, ['solved', 'turns', 'reward', 'loss'])).toEqual([
      'solved',
      'turns',
      'reward',
    ])
    expect(defaultMetrics(preferred, ['entropy', 'loss'])).toEqual(['entropy', 'loss'])
  })

  it('the bounds of an interval belong to its metric, and are no metrics', () => {
    const values = {
      accuracy: 0.5,
      'accuracy/low': 0.2,
      'accuracy/high': 0.8,
      'accuracy/n': 9,
      'role/low': 1,
    }
    const curve = curveOf({ step: 1, values }, at(2, 0))
    expect(inReadingOrder(curve.metrics, [])).toEqual(['accuracy', 'reward', 'role/low'])
    expect(curve.bounds('accuracy')).toEqual({ low: [0.2, null], high: [0.8, null] })
    expect(curve.bounds('reward')).toBeNull()
  })

  it('put what matters first and roles last', () => {
    const names = ['role/critic', 'loss', 'reward', 'depth']
    expect(inReadingOrder(names, ['reward'])).toEqual(['reward', 'depth', 'loss', 'role/critic'])
  })

  it('know a metric that only a step in the middle has', () => {
    const held = { step: 2, values: { held_out_reward: 1 } }
    expect(curveOf(at(1, 0), held, at(3, 0)).metrics).toContain('held_out_reward')
  })

  it('find the nearest step', () => {
    expect(nearestStep([1, 5, 9], 6)).toBe(5)
    expect(nearestStep([1, 5, 9], 8)).toBe(9)
    expect(nearestStep([1, 5, 9], 99)).toBe(9)
    expect(nearestStep([], 6)).toBeNull()
  })
})
