import { METRICS } from './training-strings'

/** A metric in words; the share of a role by the role's name. */
export function metricName(key: string): string {
  const known = METRICS[key]
  if (known !== undefined) return known
  const words = key.replace(/^role\//, 'Share of ').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
