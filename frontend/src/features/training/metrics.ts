import { formatCost, formatMetric, formatPercent, formatSeconds, formatShare } from '@/lib/format'

import { METRICS } from '@/strings/training'

/** Metrics between 0 and 1 that count how much of something there is. */
const SHARES: ReadonlySet<string> = new Set([
  'accuracy',
  'held_out_accuracy',
  'share_delete',
  'share_exit',
  'share_refused',
  'ratio_clipped',
  'zero_variance_groups',
  'endpoint_utilisation',
  'judged',
  'planned',
  'reached',
  'solved',
  'suited',
  'cache_hits',
  'redrawn',
  'explored_better',
  'endpoint_failures',
])

/** A metric in words; the share of a role by the role's name. */
export function metricName(key: string): string {
  const known = METRICS[key]
  if (known !== undefined) return known
  const words = key.replace(/^role\//, 'Share of ').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Whether it counts from none to all, and so is told in per cent. */
export const isShare = (key: string): boolean => SHARES.has(key) || key.startsWith('role/')

type Format = (value: number | null | undefined) => string

/** Values with a unit; all others are shares or plain numbers. */
const UNITS: Readonly<Record<string, Format>> = {
  cost: formatCost,
  cost_total: formatCost,
  seconds: formatSeconds,
}

/** How the values of a metric are written wherever they stand. */
export const metricFormat = (key: string): Format =>
  UNITS[key] ?? (isShare(key) ? formatShare : formatMetric)

/** As `metricFormat`, for the round values of an axis. */
export const axisFormat = (key: string): Format =>
  UNITS[key] ?? (isShare(key) ? formatPercent : formatMetric)

/** Whether its values need more room beside a chart. */
export const hasUnit = (key: string): boolean => key in UNITS
