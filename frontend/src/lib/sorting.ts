/** Sorting of table rows: unknown values stay at the end, whichever way the rest is sorted. */
export type Direction = 'ascending' | 'descending'

export interface Sort {
  readonly column: string
  readonly direction: Direction
}

export type SortValue = number | string | null

export function sortRows<T>(
  rows: readonly T[],
  value: (row: T) => SortValue,
  direction: Direction,
): T[] {
  const sign = direction === 'ascending' ? 1 : -1
  return [...rows].sort((left, right) => {
    const [a, b] = [value(left), value(right)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return sign * compare(a, b)
  })
}

function compare(left: number | string, right: number | string): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return String(left).localeCompare(String(right), 'en', { numeric: true })
}

/** The next state of a header that is pressed: its own first direction, then the other. */
export function nextSort(known: Sort | null, column: string, first: Direction): Sort {
  if (known?.column !== column) return { column, direction: first }
  return { column, direction: known.direction === 'ascending' ? 'descending' : 'ascending' }
}

/** "accuracy" or "-accuracy", as in an address. */
export const sortText = ({ column, direction }: Sort): string =>
  direction === 'ascending' ? column : `-${column}`

export function sortOf(text: string | null): Sort | null {
  if (!text) return null
  return text.startsWith('-')
    ? { column: text.slice(1), direction: 'descending' }
    : { column: text, direction: 'ascending' }
}
