/** What was learned of several agents, on one axis. A mean holds until the next reward changes it, so
 * between two points of an agent stands the earlier one. */
import type { Value } from '@/components/chart/chart-options'
import type { AgentCurve, AgentPoint } from '@/lib/api/agents'

/** As many as the API has of an agent. */
const MOST_PLACES = 300

export interface Overlaid {
  /** Ascending whole numbers. */
  readonly steps: number[]
  /** ISO 8601, of an axis of time; of an axis of a training's steps the step. */
  readonly nameOf: (step: number) => string | number
  /** By agent, in the order of the curves. */
  readonly points: readonly (readonly (AgentPoint | null)[])[]
}

/** The steps of a training. */
export function overSteps(curves: readonly AgentCurve[]): Overlaid {
  const stepOf = ({ step }: AgentPoint): number => step ?? 0
  const all = curves.flatMap(({ points }) => points.map(stepOf))
  const steps = [...new Set(all)].sort((one, other) => one - other)
  return { steps, nameOf: (step) => step, points: spread(curves, steps, stepOf) }
}

/** Time in equal parts, from the first point of any agent to the last. */
export function overTime(curves: readonly AgentCurve[]): Overlaid {
  const timeOf = ({ at }: AgentPoint): number => Date.parse(at)
  const times = curves.flatMap(({ points }) => points.map(timeOf))
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const parts = last > first ? Math.min(MOST_PLACES, new Set(times).size - 1) : 0
  const width = parts > 0 ? (last - first) / parts : 0
  const ends = Array.from({ length: times.length > 0 ? parts + 1 : 0 }, (_, place) =>
    place === parts ? last : first + place * width,
  )
  return {
    steps: ends.map((_, place) => place),
    nameOf: (place) => new Date(ends[place] ?? last).toISOString(),
    points: spread(curves, ends, timeOf),
  }
}

/** For each place the newest point that is not after it. */
function spread(
  curves: readonly AgentCurve[],
  places: readonly number[],
  placeOf: (point: AgentPoint) => number,
): (AgentPoint | null)[][] {
  return curves.map(({ points }) => {
    let next = 0
    return places.map((place) => {
      for (let point = points[next]; point && placeOf(point) <= place; point = points[next])
        next += 1
      return points[next - 1] ?? null
    })
  })
}

export const valuesOf = (
  points: readonly (AgentPoint | null)[],
  what: 'mean_reward' | 'mean_cost' | 'count',
): Value[] => points.map((point) => point?.[what] ?? null)
