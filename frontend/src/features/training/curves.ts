/** The numbers behind the timeline: smoothing, several trainings on one axis, names of metrics. */

export interface Step {
  readonly step: number
  readonly values: Readonly<Record<string, number>>
}

/** By step, no step twice. */
export type Steps = readonly Step[]

/** Adds steps that may repeat or come late; what is known already is replaced. */
export function withSteps(known: Steps, added: readonly Step[]): Steps {
  const [first] = added
  const last = known.at(-1)
  if (!first) return known
  const inOrder = added.every((one, index) => one.step > (added[index - 1]?.step ?? -1))
  if (inOrder && (!last || first.step > last.step)) return [...known, ...added]
  const byStep = new Map([...known, ...added].map((one) => [one.step, one]))
  return [...byStep.values()].sort((left, right) => left.step - right.step)
}

export type Value = number | null

/**
 * Exponential moving average with its start corrected: s_t = w·s_{t-1} + (1 - w)·x_t, divided by 1 - w^t,
 * so that the first value is itself. Gaps stay gaps. `weight` in [0, 1): 0 changes nothing.
 */
export function smoothed(values: readonly Value[], weight: number): Value[] {
  let sum = 0
  let norm = 0
  return values.map((value) => {
    if (value === null) return null
    sum = weight * sum + (1 - weight) * value
    norm = weight * norm + (1 - weight)
    return sum / norm
  })
}

export interface Aligned {
  /** Every step that any training has, ascending. */
  readonly steps: readonly number[]
  /** One row per training, in the given order; null where it has no such step or value. */
  readonly rows: readonly (readonly Value[])[]
}

/** Several trainings on one axis of steps. */
export function aligned(trainings: readonly Steps[], metric: string): Aligned {
  const steps = [...new Set(trainings.flatMap((one) => one.map(({ step }) => step)))].sort(
    (left, right) => left - right,
  )
  const rows = trainings.map((one) => {
    const values = new Map(one.map(({ step, values: all }) => [step, all[metric]]))
    return steps.map((step): Value => values.get(step) ?? null)
  })
  return { steps, rows }
}

const ROLE = 'role/'

/** The metrics of a page in a readable order: the important first, roles last. */
export function metricNames(trainings: readonly Steps[], first: readonly string[]): string[] {
  const all = new Set(
    trainings.flatMap((one) =>
      [one[0], one.at(-1)].flatMap((step) => Object.keys(step?.values ?? {})),
    ),
  )
  const rank = (name: string): number => {
    const place = first.indexOf(name)
    return place >= 0 ? place : name.startsWith(ROLE) ? first.length + 1 : first.length
  }
  return [...all].sort((left, right) => rank(left) - rank(right) || left.localeCompare(right))
}

/** The newest value of a metric that has one. */
export const latestOf = (steps: Steps, metric: string): Value =>
  steps.findLast(({ values }) => values[metric] !== undefined)?.values[metric] ?? null

/** The known step nearest to a wanted one. */
export function nearestStep(steps: readonly number[], wanted: number): number | null {
  let best: number | null = null
  for (const step of steps)
    if (best === null || Math.abs(step - wanted) < Math.abs(best - wanted)) best = step
  return best
}
