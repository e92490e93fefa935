/** The numbers behind the timeline: smoothing, several trainings on one axis, names of metrics. */
import type { Value } from '@/components/chart/chart-options'
import { placeOf } from '@/lib/ascending'

import { ROLE, type Curve } from './curve'

interface Smoothing {
  readonly weight: number
  readonly out: Value[]
  sum: number
  norm: number
}

const smoothings = new WeakMap<readonly Value[], Smoothing>()

/**
 * Exponential moving average with its start corrected: s_t = w·s_{t-1} + (1 - w)·x_t, divided by 1 - w^t,
 * so that the first value is itself. Gaps stay gaps. `weight` in [0, 1): 0 changes nothing.
 * A list that has grown since is gone on with where it ended; the same list grows with it.
 */
export function smoothed(values: readonly Value[], weight: number): Value[] {
  const known = smoothings.get(values)
  const state = known?.weight === weight ? known : { weight, out: [], sum: 0, norm: 0 }
  smoothings.set(values, state)
  for (let place = state.out.length; place < values.length; place += 1) {
    const value = values[place] ?? null
    if (value !== null) {
      state.sum = weight * state.sum + (1 - weight) * value
      state.norm = weight * state.norm + (1 - weight)
    }
    state.out.push(value === null ? null : state.sum / state.norm)
  }
  return state.out
}

/** Every step that any of these has, ascending; of one alone its own list. */
export function axisOf(curves: readonly Curve[]): number[] {
  const [longest, ...rest] = curves
    .map(({ steps }) => steps)
    .sort((left, right) => right.length - left.length)
  return rest.reduce((axis, steps) => merged(axis, steps), longest ?? [])
}

/** The first list itself where the second adds nothing. */
function merged(axis: number[], steps: readonly number[]): number[] {
  const missing = missingFrom(axis, steps)
  return missing.length === 0 ? axis : [...axis, ...missing].sort((left, right) => left - right)
}

function missingFrom(axis: readonly number[], steps: readonly number[]): number[] {
  let place = 0
  return steps.filter((step) => {
    while ((axis[place] ?? Infinity) < step) place += 1
    return axis[place] !== step
  })
}

/** The axis from the first step on at which one of these metrics is known. Those of reinforcement learning may
 * come after hundreds of supervised steps. */
export function shownAxis(curves: readonly Curve[], metrics: readonly string[]): number[] {
  const axis = axisOf(curves)
  const firsts = curves.flatMap((curve) =>
    metrics.map((metric) => {
      const first = curve.column(metric).findIndex((value) => value !== null)
      return curve.steps[first] ?? Infinity
    }),
  )
  const first = Math.min(...firsts)
  return first === Infinity || first === axis[0] ? axis : axis.slice(placeOf(axis, first))
}

/** A column of a curve spread over an axis that has all of its steps; null where it has none. */
export function onAxis(axis: readonly number[], curve: Curve, values: Value[]): Value[] {
  if (axis === curve.steps) return values
  let place = 0
  return axis.map((step) => {
    while ((curve.steps[place] ?? Infinity) < step) place += 1
    return curve.steps[place] === step ? (values[place] ?? null) : null
  })
}

/** Names of metrics: those of `first` in its order, then others, roles last. */
export function inReadingOrder(names: Iterable<string>, first: readonly string[]): string[] {
  const places = new Map(first.map((name, place) => [name, place]))
  const rank = (name: string): number =>
    places.get(name) ?? (name.startsWith(ROLE) ? first.length + 1 : first.length)
  return [...names].sort((left, right) => rank(left) - rank(right) || left.localeCompare(right))
}

/** As many metrics as are preferred: the preferred ones that are known, then the first others, in the order of
 * `names`. A training may know none of the preferred ones yet. */
export function defaultMetrics(preferred: readonly string[], names: readonly string[]): string[] {
  const known = preferred.filter((name) => names.includes(name))
  const others = names.filter((name) => !known.includes(name))
  const chosen = [...known, ...others].slice(0, preferred.length)
  return names.filter((name) => chosen.includes(name))
}

/** The one of an ascending list that is nearest to a wanted one; of two the earlier. */
export function nearestStep(steps: readonly number[], wanted: number): number | null {
  const place = placeOf(steps, wanted)
  const [before, after] = [steps[place - 1], steps[place]]
  if (before === undefined || after === undefined) return before ?? after ?? null
  return wanted - before <= after - wanted ? before : after
}
