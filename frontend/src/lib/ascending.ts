/** Looking into ascending lists. */

/** Where `wanted` stands in an ascending list, or would. */
export function placeOf(ascending: readonly number[], wanted: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? Infinity) < wanted) low = middle + 1
    else high = middle
  }
  return low
}
