/** Where the sectors of the rings lie: one ring for each layer, the first one innermost. */
import type { RoleProbability } from '@/generated/events'

export const SIZE = 232
const OUTER = SIZE / 2 - 2
const THICKEST = 28
/** Of the hole of many rings. */
const HOLE = 24
const GAP = 3
const FULL = 2 * Math.PI

export interface Point {
  readonly x: number
  readonly y: number
}

type Likely = Pick<RoleProbability, 'probability'>

export interface Ring<C extends Likely> {
  readonly layer: number
  readonly candidates: readonly C[]
}

export interface Sector<C extends Likely = RoleProbability> {
  readonly layer: number
  readonly candidate: C
  /** Of an SVG path. */
  readonly path: string
  readonly middle: Point
  /** Pixels that a sign in the middle may take. */
  readonly room: number
}

/** From the top clockwise, in the order of the pool. An agent without any probability has no sector. */
export function sectorsOf<C extends Likely>(layers: readonly Ring<C>[]): readonly Sector<C>[] {
  const thickness = Math.min(THICKEST, (OUTER - HOLE) / layers.length)
  return layers.flatMap(({ layer, candidates }, index) => {
    const outer = OUTER - (layers.length - 1 - index) * thickness
    const inner = outer - thickness + GAP
    const all = candidates.reduce((sum, { probability }) => sum + probability, 0)
    let from = 0
    return candidates.flatMap((candidate) => {
      const angle = (candidate.probability / all) * FULL
      if (!(angle > 0)) return []
      const [start, middle] = [from, from + angle / 2]
      from += angle
      // A whole ring would begin where it ends, which draws nothing.
      const end = start + Math.min(angle, FULL - 1e-3)
      const radius = (inner + outer) / 2
      return [
        {
          layer,
          candidate,
          path: annular(inner, outer, start, end),
          middle: at(radius, middle),
          room: Math.min(outer - inner, radius * angle),
        },
      ]
    })
  })
}

function annular(inner: number, outer: number, start: number, end: number): string {
  const isLarge = end - start > Math.PI ? 1 : 0
  const arc = (radius: number, sweep: number, to: number): string =>
    `A${radius} ${radius} 0 ${isLarge} ${sweep} ${spelled(at(radius, to))}`
  return [
    `M${spelled(at(outer, start))}`,
    arc(outer, 1, end),
    `L${spelled(at(inner, end))}`,
    arc(inner, 0, start),
    'Z',
  ].join('')
}

const at = (radius: number, angle: number): Point => ({
  x: SIZE / 2 + radius * Math.sin(angle),
  y: SIZE / 2 - radius * Math.cos(angle),
})

const spelled = ({ x, y }: Point): string => `${x.toFixed(2)} ${y.toFixed(2)}`
