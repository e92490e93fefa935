/** Which steps of the timeline are in sight. */

export interface Range {
  readonly min: number
  readonly max: number
}

/** Fewer steps than these would show a line of nothing. */
const FEWEST = 2

/**
 * `range` made narrower by `factor`, or wider when it is below 1, with `centre` where it is on the
 * screen; never outside of `full`. null: all of it is in sight.
 */
export function zoomedBy(range: Range, full: Range, factor: number, centre: number): Range | null {
  const span = range.max - range.min
  const wanted = Math.max(Math.min(FEWEST, full.max - full.min), span / factor)
  if (wanted >= full.max - full.min) return null
  const fixed = Math.min(range.max, Math.max(range.min, centre))
  const share = span > 0 ? (fixed - range.min) / span : 0.5
  const min = Math.min(full.max - wanted, Math.max(full.min, fixed - share * wanted))
  return { min, max: min + wanted }
}

export const isSameRange = (left: Range | null, right: Range | null): boolean =>
  left === right || (left?.min === right?.min && left?.max === right?.max)
