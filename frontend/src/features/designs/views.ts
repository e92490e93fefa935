/** How a design lies in its frame: where the page opens, and how far out one can go. */
import type { Point } from '@/graph/layout'

import { cardSize } from './edits'

/** The least zoom at which a card's name is read with ease. */
export const READABLE_ZOOM = 0.5
/** Below this zoom a card shows its name and a few marks alone, large. */
export const FAR_ZOOM = 0.7
const USUAL_LEAST_ZOOM = 0.1
const MARGIN = 24
/** On a narrow phone, clear of the controls. */
const SMALLEST_FRAME = 240
const NAME_PIXELS = 13
const HANDLE_PIXELS = 12

export interface Frame {
  readonly width: number
  readonly height: number
}

export interface View extends Point {
  readonly zoom: number
}

/** All of it where that can be read; else its beginning: whoever is first from the left, and what follows. */
export function openingView(cards: readonly Point[], frame: Frame): View {
  const first = cards.toSorted((left, right) => left.x - right.x)[0]
  if (!first) return { x: 0, y: 0, zoom: 1 }
  const { x, y, width, height } = boundsOf(cards)
  const room = { width: frame.width - 2 * MARGIN, height: frame.height - 2 * MARGIN }
  const whole = Math.min(1, room.width / width, room.height / height)
  const zoom = Math.max(READABLE_ZOOM, whole)
  const middle = {
    x: frame.width / 2 - zoom * (x + width / 2),
    y: frame.height / 2 - zoom * (y + height / 2),
  }
  return {
    x: zoom * width <= room.width ? middle.x : MARGIN - zoom * x,
    y:
      zoom * height <= room.height
        ? middle.y
        : frame.height / 2 - zoom * (first.y + cardSize.height / 2),
    zoom,
  }
}

/** So far out that all of it fits into the smallest frame. */
export function leastZoom(cards: readonly Point[]): number {
  const { width, height } = boundsOf(cards)
  return Math.min(USUAL_LEAST_ZOOM, SMALLEST_FRAME / Math.max(1, width, height))
}

/** Sizes that stay the same on the screen while the view goes out, in steps: a change draws the card anew. */
export const farNameSize = (zoom: number): number => stepped(NAME_PIXELS / zoom, 18, 34)
export const handleSize = (zoom: number): number =>
  stepped(HANDLE_PIXELS / zoom, HANDLE_PIXELS, cardSize.height / 3)

const stepped = (size: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, Math.ceil(size / 4) * 4))

function boundsOf(cards: readonly Point[]): Point & Frame {
  const [xs, ys] = [cards.map(({ x }) => x), cards.map(({ y }) => y)]
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  return {
    x,
    y,
    width: Math.max(...xs) + cardSize.width - x,
    height: Math.max(...ys) + cardSize.height - y,
  }
}
