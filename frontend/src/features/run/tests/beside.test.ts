import { describe, expect, it } from 'vitest'

import { beside, visiblePart, type Box, type Spot } from '@/features/run/tour/beside'

const card = { width: 350, height: 160 }
const desk = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

const overlap = ({ left, top }: Spot, region: Box): boolean =>
  left < region.left + region.width &&
  left + card.width > region.left &&
  top < region.top + region.height &&
  top + card.height > region.top

describe('the card of the tour', () => {
  it('stands under what it speaks of, else over it, else beside it', () => {
    const head = { left: 220, top: 40, width: 500, height: 60 }
    expect(beside(head, card, desk)).toEqual({ left: 295, top: 112 })
    const foot = { left: 220, top: 840, width: 500, height: 44 }
    expect(beside(foot, card, desk)).toEqual({ left: 295, top: 668 })
    const panel = { left: 1050, top: 100, width: 380, height: 790 }
    const spot = beside(panel, card, desk)
    expect(spot).toEqual({ left: 688, top: 415 })
    expect(overlap(spot, panel)).toBe(false)
  })

  it('stays inside the window, also of a phone', () => {
    for (const region of [
      { left: 16, top: 4, width: 60, height: 28 },
      { left: 330, top: 780, width: 60, height: 64 },
      { left: 0, top: 0, width: 390, height: 439 },
    ]) {
      const spot = beside(region, card, phone)
      expect(spot.left).toBeGreaterThanOrEqual(12)
      expect(spot.left + card.width).toBeLessThanOrEqual(phone.width - 12)
      expect(spot.top + card.height).toBeLessThanOrEqual(phone.height - 12)
      expect(overlap(spot, region)).toBe(false)
    }
  })

  it('covers the foot of a region that fills the window', () => {
    const all = visiblePart({ left: 0, top: -40, width: 390, height: 4000 }, phone)
    expect(all).toEqual({ left: 0, top: 0, width: 390, height: 844 })
    expect(beside(all, card, phone)).toEqual({ left: 20, top: 844 - 160 - 12 })
  })
})
