/** The line of an edge that leads back to the left: around below both cards, not through them. */
import type { Point } from '@/graph/layout'

const GAP = 28
const RADIUS = 12

export const leadsBack = (source: Point, target: Point): boolean => target.x < source.x + GAP

/** From a card's right side to another's left side, `height` being that of a card. */
export function backPath(source: Point, target: Point, height: number): string {
  const below = Math.max(source.y, target.y) + height / 2 + GAP
  const corners: Point[] = [
    { x: source.x + GAP, y: source.y },
    { x: source.x + GAP, y: below },
    { x: target.x - GAP, y: below },
    { x: target.x - GAP, y: target.y },
  ]
  const points = [source, ...corners, target]
  const bends = corners.map((corner, index) => {
    const [from, to] = [points[index] ?? corner, points[index + 2] ?? corner]
    const [enter, leave] = [towards(corner, from), towards(corner, to)]
    return `L${enter.x},${enter.y}Q${corner.x},${corner.y} ${leave.x},${leave.y}`
  })
  return `M${source.x},${source.y}${bends.join('')}L${target.x},${target.y}`
}

/** A place near `corner` on the way to `other`. */
function towards(corner: Point, other: Point): Point {
  const [dx, dy] = [other.x - corner.x, other.y - corner.y]
  const share = Math.min(RADIUS, Math.hypot(dx, dy) / 2) / (Math.hypot(dx, dy) || 1)
  return { x: corner.x + dx * share, y: corner.y + dy * share }
}
