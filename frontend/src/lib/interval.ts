/** A 95% interval. */
export type Interval = readonly [low: number, high: number]

/** As the API sends it: two numbers, or null where nothing was measured. */
export function asInterval(value: readonly number[] | null | undefined): Interval | null {
  const [low, high] = value ?? []
  return low === undefined || high === undefined ? null : [low, high]
}

/** Where a value stands on an axis, as a share of its length, never outside. */
export const placeOn = (value: number, [from, to]: Interval): number =>
  to > from ? Math.min(1, Math.max(0, (value - from) / (to - from))) : 0.5

const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5]

/** An axis around shares and their intervals, with round ends inside `within`. */
export function shareAxis(intervals: readonly Interval[], within: Interval = [0, 1]): Interval {
  if (intervals.length === 0) return within
  const low = Math.min(...intervals.map(([from]) => from))
  const high = Math.max(...intervals.map(([, to]) => to))
  const step = STEPS.find((size) => size >= (high - low) / 4) ?? 0.5
  const [from, to] = [Math.floor(low / step) * step, Math.ceil(high / step) * step]
  return [
    Math.max(within[0], round(from)),
    Math.min(within[1], round(to > from ? to : from + step)),
  ]
}

/** Two to six round places on an axis, both ends among them wherever a round step allows that. */
export function axisTicks([from, to]: Interval): number[] {
  const isRound = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-6
  const step =
    STEPS.find(
      (size) => (to - from) / size <= 4 && isRound(from / size) && isRound((to - from) / size),
    ) ??
    STEPS.find((size) => (to - from) / size <= 5) ??
    0.5
  const first = Math.ceil(from / step - 1e-9)
  const last = Math.floor(to / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, index) => round((first + index) * step))
}

/** At most four of them, evenly spaced and with both ends, have room for a label. */
export function labelledTicks(ticks: readonly number[]): number[] {
  const gaps = ticks.length - 1
  const every = [1, 2, 3, 5].find((size) => gaps % size === 0 && gaps / size <= 3) ?? gaps
  return ticks.filter((_, index) => index % Math.max(1, every) === 0)
}

const round = (value: number): number => Math.round(value * 1e6) / 1e6
