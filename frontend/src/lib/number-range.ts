/** What a number may be, in words, and what is wrong with one that may not be. */
import { strings } from '@/strings/studio'

import { formatExact } from './format'

export interface NumberRange {
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
  readonly integer?: boolean | undefined
}

/** “Between 1 and 32.”, “At least 1.”; empty where any number is allowed. */
export function rangeText({ minimum, maximum }: NumberRange): string {
  const { between, atLeast, atMost } = strings.ask
  if (minimum !== undefined && maximum !== undefined)
    return between(formatExact(minimum), formatExact(maximum))
  if (minimum !== undefined) return atLeast(formatExact(minimum))
  return maximum === undefined ? '' : atMost(formatExact(maximum))
}

/** undefined: nothing is wrong. An empty field is null, which any field may be; NaN is no number. */
export function numberProblem(value: number | null, range: NumberRange): string | undefined {
  if (value === null) return undefined
  if (Number.isNaN(value)) return strings.ask.notNumber
  if (range.integer && !Number.isInteger(value)) return strings.ask.integer
  const isInside = value >= (range.minimum ?? -Infinity) && value <= (range.maximum ?? Infinity)
  return isInside ? undefined : rangeText(range)
}
