/** 95% intervals along a line: as the area behind it, and in words. */
import { asInterval } from '@/lib/interval'
import { strings } from '@/strings/studio'

import type { Band, ChartLine, Quantity } from './chart-options'

/** More areas lie over each other and hide whose they are. */
export const MOST_BANDS = 2

/** Of points as the API sends them. */
export function bandOf(
  points: readonly ({ readonly interval: readonly number[] | null } | null)[],
): Band {
  const intervals = points.map((point) => asInterval(point?.interval))
  return {
    low: intervals.map((interval) => interval?.[0] ?? null),
    high: intervals.map((interval) => interval?.[1] ?? null),
  }
}

/** "0.62", and where it is known "(0.41 to 0.79)". */
export function valueAt(
  { values, band }: Pick<ChartLine, 'values' | 'band'>,
  place: number,
  format: Quantity['format'],
): readonly [value: string, interval?: string] {
  const value = format(values[place])
  const [low, high] = [band?.low[place], band?.high[place]]
  return low == null || high == null
    ? [value]
    : [value, strings.chart.interval(format(low), format(high))]
}
