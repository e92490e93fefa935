/** Walking over placed nodes with the arrow keys. */
import type { Point, Positions } from './layout'

export type Heading = 'left' | 'right' | 'up' | 'down'

const HEADINGS: Readonly<Record<string, Heading>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
}

export function headingOf(key: string): Heading | null {
  return HEADINGS[key] ?? null
}

/** The nearest node inside the quarter that `heading` points to, else in its half plane; null at the rim. */
export function neighbour(positions: Positions, from: string, heading: Heading): string | null {
  const origin = positions.get(from)
  if (!origin) return null
  let best: { id: string; cost: number } | null = null
  for (const [id, point] of positions) {
    if (id === from) continue
    const { ahead, aside } = components(origin, point, heading)
    if (ahead <= 0) continue
    const cost = ahead + 2 * aside + (aside > ahead ? 10_000 : 0)
    if (!best || cost < best.cost) best = { id, cost }
  }
  return best?.id ?? null
}

function components(origin: Point, point: Point, heading: Heading) {
  const dx = point.x - origin.x
  const dy = point.y - origin.y
  const ahead = { left: -dx, right: dx, up: -dy, down: dy }[heading]
  const sideways = heading === 'left' || heading === 'right' ? dy : dx
  return { ahead, aside: Math.abs(sideways) }
}
