import { describe, expect, it } from 'vitest'

import { asInterval, axisTicks, labelledTicks, placeOn, shareAxis } from '@/lib/interval'

describe('an interval from the API', () => {
  it('is two numbers or nothing', () => {
    expect(asInterval([0.2, 0.4])).toEqual([0.2, 0.4])
    expect(asInterval(null)).toBeNull()
    expect(asInterval([0.2])).toBeNull()
  })
})

describe('an axis of shares', () => {
  it('has round ends that hold every interval', () => {
    expect(
      shareAxis([
        [0.412, 0.53],
        [0.61, 0.688],
      ]),
    ).toEqual([0.4, 0.7])
    expect(shareAxis([[0, 1]])).toEqual([0, 1])
    expect(shareAxis([])).toEqual([0, 1])
  })

  it('may go below zero for differences', () => {
    const [from, to] = shareAxis([[-0.07, 0.12]], [-1, 1])
    expect(from).toBeLessThanOrEqual(-0.07)
    expect(to).toBeGreaterThanOrEqual(0.12)
  })

  it('is never without length', () => {
    const [from, to] = shareAxis([[0.5, 0.5]])
    expect(to).toBeGreaterThan(from)
  })

  it('has ticks at round places, both ends included where they are round', () => {
    expect(axisTicks([0.4, 0.7])).toEqual([0.4, 0.5, 0.6, 0.7])
    expect(axisTicks([0, 1])).toEqual([0, 0.25, 0.5, 0.75, 1])
    expect(axisTicks([0.5, 1])).toEqual([0.5, 0.75, 1])
    expect(axisTicks([0.3, 0.8])).toEqual([0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    expect(axisTicks([-0.1, 0.1])).toEqual([-0.1, -0.05, 0, 0.05, 0.1])
  })

  it('labels both ends', () => {
    expect(labelledTicks([0, 0.25, 0.5, 0.75, 1])).toEqual([0, 0.5, 1])
    expect(labelledTicks([0.4, 0.5, 0.6, 0.7])).toEqual([0.4, 0.5, 0.6, 0.7])
    expect(labelledTicks([0.3, 0.4, 0.5, 0.6, 0.7, 0.8])).toEqual([0.3, 0.8])
    expect(labelledTicks([0.5])).toEqual([0.5])
  })
})

describe('a place on an axis', () => {
  it('is a share of its length and stays inside', () => {
    expect(placeOn(0.55, [0.4, 0.7])).toBeCloseTo(0.5)
    expect(placeOn(0.1, [0.4, 0.7])).toBe(0)
    expect(placeOn(0.9, [0.4, 0.7])).toBe(1)
  })
})
