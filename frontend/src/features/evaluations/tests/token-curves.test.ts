import { describe, expect, it } from 'vitest'

import {
  bandPath,
  budgetsOf,
  curvesOf,
  placeX,
  placeY,
  stepPath,
  tokenAxis,
  tokenTicks,
} from '@/features/evaluations/token-curves'

const frame = { width: 220, height: 120, left: 10, right: 10, top: 10, bottom: 10 }
const point = (label: string, budget: number, accuracy: number) => ({
  label,
  budget,
  accuracy,
  interval: [accuracy - 0.1, accuracy + 0.1],
})
const points = [point('b', 1000, 0.5), point('a', 1000, 0.75), point('a', 10, 0.25)]

describe('curves over token budgets', () => {
  it('belong to their arm and go from the smallest budget', () => {
    const curves = curvesOf(points, ['a', 'b', 'c'])
    expect(curves.map(({ label }) => label)).toEqual(['a', 'b', 'c'])
    expect(curves[0]?.points.map(({ budget }) => budget)).toEqual([10, 1000])
    expect(curves[2]?.points).toEqual([])
    expect(budgetsOf(points)).toEqual([10, 1000])
  })

  it('stand on a logarithmic axis', () => {
    const axis = tokenAxis([10, 1000])
    expect(placeX(10, axis, frame)).toBe(10)
    expect(placeX(100, axis, frame)).toBe(110)
    expect(placeX(1000, axis, frame)).toBe(210)
    expect(tokenTicks(axis, 10)).toEqual([10, 20, 50, 100, 200, 500, 1000])
    expect(tokenTicks(axis, 4)).toEqual([10, 100, 1000])
  })

  it.each([
    [[160, 330], 12, [200, 250, 300]],
    [[160, 330], 2, [200, 300]],
    [[700, 4_200], 12, [1_000, 2_000, 3_000, 4_000]],
    [[240, 240], 12, [240]],
  ])('has round numbers within %j, at most %i', (budgets, most, ticks) => {
    expect(tokenTicks(tokenAxis(budgets), most)).toEqual(ticks)
  })

  it('rise in steps, since nothing is known between two budgets', () => {
    const [curve] = curvesOf(points, ['a'])
    const axes = { x: tokenAxis([10, 1000]), y: [0, 1] as const, frame }
    expect(placeY(0.25, axes.y, frame)).toBe(85)
    expect(curve && stepPath(curve, axes)).toBe('M10,85H210V35')
    expect(curve && bandPath(curve, axes)).toMatch(/^M10,.*Z$/)
  })
})
