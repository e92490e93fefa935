/** Geometry of "accuracy at equal token budget": steps over a logarithmic axis of tokens. */
import { asInterval, placeOn, type Interval } from '@/lib/interval'

export interface BudgetPoint {
  readonly label: string
  readonly budget: number
  readonly accuracy: number
  readonly interval: readonly number[] | null
}

export interface Curve {
  readonly label: string
  readonly points: readonly BudgetPoint[]
}

export interface Frame {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** The points of each arm by budget, arms in the order of `labels`. */
export const curvesOf = (points: readonly BudgetPoint[], labels: readonly string[]): Curve[] =>
  labels.map((label) => ({
    label,
    points: points
      .filter((point) => point.label === label)
      .sort((left, right) => left.budget - right.budget),
  }))

export const budgetsOf = (points: readonly BudgetPoint[]): number[] =>
  [...new Set(points.map(({ budget }) => budget))].sort((left, right) => left - right)

const log = (value: number): number => Math.log10(Math.max(1, value))

export const tokenAxis = (budgets: readonly number[]): Interval => [
  log(budgets[0] ?? 1),
  log(budgets.at(-1) ?? 10),
]

export const placeX = (budget: number, axis: Interval, frame: Frame): number =>
  frame.left + placeOn(log(budget), axis) * (frame.width - frame.left - frame.right)

export const placeY = (accuracy: number, axis: Interval, frame: Frame): number =>
  frame.height - frame.bottom - placeOn(accuracy, axis) * (frame.height - frame.top - frame.bottom)

const FEW = 3
const ENOUGH = 6

/** 1, 2, 5, 10, 20, 50, … inside the axis; evenly spaced round numbers where that is too few. */
export function tokenTicks(axis: Interval, most: number): number[] {
  const [low, high] = [10 ** axis[0], 10 ** axis[1]]
  const every = (factors: readonly number[]): number[] =>
    Array.from({ length: 8 }, (_, power) => factors.map((factor) => factor * 10 ** power))
      .flat()
      .filter((tick) => tick >= low * 0.999 && tick <= high * 1.001)
  const fine = every([1, 2, 5])
  if (fine.length < FEW) {
    return evenTicks(low, high, Math.min(most, ENOUGH))
  }
  return fine.length <= most ? fine : every([1])
}

function evenTicks(low: number, high: number, most: number): number[] {
  const steps = Array.from({ length: 8 }, (_, power) =>
    [1, 2, 5].map((n) => n * 10 ** power),
  ).flat()
  const inside = (step: number): number[] => {
    const first = Math.ceil(low / step - 1e-3)
    const count = Math.max(0, Math.floor(high / step + 1e-3) - first + 1)
    return count > most ? [] : Array.from({ length: count }, (_, index) => (first + index) * step)
  }
  return steps.map(inside).find((ticks) => ticks.length > 0) ?? []
}

interface Axes {
  readonly x: Interval
  readonly y: Interval
  readonly frame: Frame
}

/** A step line: between two budgets nothing more is known than the smaller one's accuracy. */
export function stepPath({ points }: Curve, { x, y, frame }: Axes): string {
  return points
    .map(({ budget, accuracy }, index) => {
      const [left, top] = [placeX(budget, x, frame), placeY(accuracy, y, frame)]
      return index === 0 ? `M${left},${top}` : `H${left}V${top}`
    })
    .join('')
}

/** The area between the lower and the upper ends of the intervals, in the same steps. */
export function bandPath({ points }: Curve, { x, y, frame }: Axes): string {
  const known = points.flatMap(({ budget, interval }) => {
    const ends = asInterval(interval)
    return ends ? [{ at: placeX(budget, x, frame), ends }] : []
  })
  if (known.length < 2) return ''
  const upper = known
    .map(({ at, ends: [, high] }, index) => {
      const top = placeY(high, y, frame)
      return index === 0 ? `M${at},${top}` : `H${at}V${top}`
    })
    .join('')
  const lower = known
    .toReversed()
    .map(({ at, ends: [low] }, index) => {
      const bottom = placeY(low, y, frame)
      return index === 0 ? `V${bottom}` : `V${bottom}H${at}`
    })
    .join('')
  return `${upper}${lower}Z`
}
