const NUMBER = /^[+-]?(?:\d+[.,]?|\d*[.,]\d+)(?:e[+-]?\d+)?$/i
/** “1,000” is a thousand to some people and one to others. */
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2},\d{3}$/
const THOUSANDS = /^[+-]?[1-9]\d{0,2}\.\d{3}$/

/**
 * The number that a person wrote, the same in every browser's language, with a point or a comma before its decimals.
 * null: nothing was written. NaN: it is no number, or might be two.
 */
export function readNumber(text: string, integer = false): number | null {
  const written = text.trim().replace(/^[‐‑–−]/, '-')
  if (written === '') return null
  if (!NUMBER.test(written) || AMBIGUOUS.test(written) || (integer && THOUSANDS.test(written)))
    return Number.NaN
  const read = Number(written.replace(',', '.'))
  return Number.isFinite(read) ? read : Number.NaN
}

const plain = new Intl.NumberFormat('en', { useGrouping: false, maximumFractionDigits: 20 })

/** As a field shows a number; empty where there is none. */
export const writtenNumber = (value: number | null): string =>
  value === null || Number.isNaN(value) ? '' : plain.format(value)
