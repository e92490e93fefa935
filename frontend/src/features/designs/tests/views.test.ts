import { describe, expect, it } from 'vitest'

import { cardSize } from '@/features/designs/edits'
import {
  farNameSize,
  handleSize,
  leastZoom,
  openingView,
  READABLE_ZOOM,
  type Frame,
  type View,
} from '@/features/designs/views'

const chain = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ x: 272 * index, y: 40 }))
const PHONE: Frame = { width: 358, height: 438 }
const DESK: Frame = { width: 1_200, height: 760 }

const shows = ({ x, y, zoom }: View, card: { x: number; y: number }, frame: Frame): boolean =>
  card.x * zoom + x >= 0 &&
  card.y * zoom + y >= 0 &&
  (card.x + cardSize.width) * zoom + x <= frame.width &&
  (card.y + cardSize.height) * zoom + y <= frame.height

describe('the page opens', () => {
  it('on all of it where that can be read', () => {
    const cards = chain(4)
    const view = openingView(cards, DESK)
    expect(view.zoom).toBeGreaterThan(READABLE_ZOOM)
    expect(cards.every((card) => shows(view, card, DESK))).toBe(true)
    expect(openingView(chain(1), DESK).zoom).toBe(1)
  })

  it.each([
    [7, PHONE],
    [16, DESK],
    [200, DESK],
  ])('where a row of %i begins, as large as it takes to read it', (count, frame) => {
    const cards = chain(count)
    const view = openingView(cards, frame)
    expect(view.zoom).toBe(READABLE_ZOOM)
    expect(cards.slice(0, 2).map((card) => shows(view, card, frame))).toEqual([true, true])
  })

  it('somewhere also without an agent or a frame', () => {
    expect(openingView([], DESK)).toEqual({ x: 0, y: 0, zoom: 1 })
    expect(openingView(chain(2), { width: 0, height: 0 }).zoom).toBe(READABLE_ZOOM)
  })
})

it('lets one go so far out that five hundred in a row are in sight on a phone', () => {
  expect(leastZoom(chain(500)) * 272 * 500).toBeLessThanOrEqual(PHONE.width)
  expect(leastZoom(chain(3))).toBe(0.1)
})

it('keeps names and handles as large on the screen, out to where the page opens', () => {
  for (const zoom of [0.69, 0.6, READABLE_ZOOM]) {
    expect(farNameSize(zoom) * zoom).toBeGreaterThanOrEqual(12)
    expect(handleSize(zoom) * zoom).toBeGreaterThanOrEqual(12)
  }
  expect(handleSize(1)).toBe(12)
})
