import { describe, expect, it } from 'vitest'

import { zoomedBy } from '@/components/chart/zoom'

const full = { min: 0, max: 100 }

describe('zooming', () => {
  it('keeps the step it is about where it was', () => {
    expect(zoomedBy(full, full, 2, 80)).toEqual({ min: 40, max: 90 })
    expect(zoomedBy({ min: 40, max: 90 }, full, 2, 80)).toEqual({ min: 60, max: 85 })
  })

  it('stays inside, and shows all once all would fit', () => {
    expect(zoomedBy({ min: 80, max: 100 }, full, 0.5, 100)).toEqual({ min: 60, max: 100 })
    expect(zoomedBy({ min: 40, max: 90 }, full, 0.5, 50)).toBeNull()
  })

  it('ends where there would be no line to see', () => {
    const near = zoomedBy({ min: 50, max: 53 }, full, 2, 51)
    expect(near && near.max - near.min).toBe(2)
    expect(zoomedBy({ min: 1, max: 2 }, { min: 1, max: 2 }, 2, 1)).toBeNull()
  })

  it('about a step out of sight is about the nearest in sight', () => {
    expect(zoomedBy({ min: 20, max: 40 }, full, 2, 90)).toEqual({ min: 30, max: 40 })
  })
})
