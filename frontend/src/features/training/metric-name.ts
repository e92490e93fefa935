import { formatMetric, formatShare } from '@/lib/format'

import { METRICS } from './training-strings'

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
  'cache_hits',
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

/** How the values of a metric are written wherever they stand. */
export const metricFormat = (key: string): ((value: number | null | undefined) => string) =>
  isShare(key) ? formatShare : formatMetric
