/** A place in a split from the address; null where there is none, or nonsense. */
export const placeOf = (word: string | null): number | null =>
  word !== null && /^\d{1,9}$/.test(word) ? Number(word) : null

/** Left in the history by the rows, to which one then goes back. */
export const FROM_ROWS = { fromRows: true } as const

export const isFromRows = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && 'fromRows' in state

/** The address of one task beside the rest of it. */
export function taskSearch(params: URLSearchParams, task: number, repeat: number): string {
  const next = new URLSearchParams(params)
  next.set('task', String(task))
  if (repeat > 0) next.set('repeat', String(repeat))
  else next.delete('repeat')
  return next.toString()
}
