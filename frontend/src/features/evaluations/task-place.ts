/** A place in a split from the address; null where there is none, or nonsense. */
export const placeOf = (word: string | null): number | null =>
  word !== null && /^\d{1,9}$/.test(word) ? Number(word) : null
