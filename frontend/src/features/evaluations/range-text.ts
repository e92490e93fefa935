import { asInterval } from '@/lib/interval'
import { text } from '@/strings/evaluations'

/** "0.2 to 0.4"; nothing where the interval is not known. */
export function rangeText(
  value: readonly number[] | null | undefined,
  format: (bound: number) => string,
): string {
  const interval = asInterval(value)
  return interval ? text.armTable.range(format(interval[0]), format(interval[1])) : ''
}
