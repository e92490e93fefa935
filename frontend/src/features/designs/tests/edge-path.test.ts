import { describe, expect, it } from 'vitest'

import { backPath, leadsBack } from '@/features/designs/edge-path'

const numbers = (path: string): number[] => (path.match(/-?[\d.]+/g) ?? []).map(Number)

describe('an edge that leads back', () => {
  it('is one whose reader does not stand to the right', () => {
    expect(leadsBack({ x: 200, y: 0 }, { x: 300, y: 500 })).toBe(false)
    expect(leadsBack({ x: 200, y: 0 }, { x: 210, y: 0 })).toBe(true)
    expect(leadsBack({ x: 200, y: 0 }, { x: -100, y: 0 })).toBe(true)
  })

  it('goes below both cards, from side to side', () => {
    const path = backPath({ x: 200, y: 64 }, { x: 0, y: 164 }, 128)
    expect(path.startsWith('M200,64L')).toBe(true)
    expect(path.endsWith('L0,164')).toBe(true)
    const ys = numbers(path).filter((_, index) => index % 2 === 1)
    expect(Math.max(...ys)).toBe(164 + 64 + 28)
    expect(numbers(path).every(Number.isFinite)).toBe(true)
  })
})
