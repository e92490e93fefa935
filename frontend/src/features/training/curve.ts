/** What a training has told of its steps, metric by metric. */
import type { Band, Value } from '@/components/chart/chart-options'
import { placeOf } from '@/lib/ascending'

export interface Step {
  readonly step: number
  readonly values: Readonly<Record<string, number>>
}

/**
 * The steps of one training with a column per metric, as long as `steps` wherever it is read.
 *
 * It grows in place, so that a step more of a hundred thousand costs a step: whoever draws it keys on
 * `version`, not on the arrays. A column is a new array only when a step came late.
 */
export class Curve {
  steps: number[] = []
  version = 0
  private readonly columns = new Map<string, Value[]>()

  /** The newest step; null before the first. */
  get last(): number | null {
    return this.steps.at(-1) ?? null
  }

  /** Every metric that any step had: some are told at few steps only. */
  get metrics(): string[] {
    return [...this.columns.keys()].filter((name) => !BOUND.test(name))
  }

  /** Of its 95% interval; null where it is told without one. */
  bounds(metric: string): Band | null {
    const [low, high] = [`${metric}/low`, `${metric}/high`]
    if (!this.columns.has(low) || !this.columns.has(high)) return null
    return { low: this.column(low), high: this.column(high) }
  }

  /** Its values by step; where a step lacks it null, or 0 for a role that nobody played then. */
  column(metric: string): Value[] {
    return padded(this.columns.get(metric) ?? [], this.steps.length, lacking(metric))
  }

  /** A step is stored once and never changes: one that is known already is passed over. */
  add(added: readonly Step[]): void {
    const before = this.steps.length
    for (const one of added) {
      if (one.step > (this.last ?? -1)) this.append(one)
      else this.insert(one)
    }
    if (this.steps.length > before) this.version += 1
  }

  private append({ step, values }: Step): void {
    const place = this.steps.push(step) - 1
    for (const [metric, value] of Object.entries(values)) {
      const column = this.columns.get(metric) ?? []
      if (column.length === 0) this.columns.set(metric, column)
      padded(column, place, lacking(metric)).push(value)
    }
  }

  private insert({ step, values }: Step): void {
    const place = placeOf(this.steps, step)
    if (this.steps[place] === step) return
    const whole = this.steps.length
    this.steps = this.steps.toSpliced(place, 0, step)
    for (const metric of new Set([...this.columns.keys(), ...Object.keys(values)])) {
      const column = padded(this.columns.get(metric) ?? [], whole, lacking(metric))
      this.columns.set(metric, column.toSpliced(place, 0, values[metric] ?? lacking(metric)))
    }
  }
}

function padded(column: Value[], length: number, value: Value): Value[] {
  while (column.length < length) column.push(value)
  return column
}

export const ROLE = 'role/'

/** A bound of another metric’s interval, drawn with it, or the number of tasks that it rests on. */
const BOUND = /^(?!role\/).+\/(low|high|n)$/

/** Of all the roles of a pool only those are told that somebody plays. */
const lacking = (metric: string): Value => (metric.startsWith(ROLE) ? 0 : null)
