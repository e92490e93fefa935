/** What can be undone and done again. Edits of one kind in quick succession, such as typing, are one. */
export interface History<T> {
  readonly past: readonly T[]
  readonly present: T
  readonly future: readonly T[]
  /** What the last edit was about, and when; null: nothing joins it. */
  readonly last: { readonly about: string; readonly at: number } | null
}

const MOST = 200
/** A pause longer than this begins a new step. */
const JOIN_MS = 1_000

export const begin = <T>(present: T): History<T> => ({ past: [], present, future: [], last: null })

/** `about`: edits with the same one join; without one an edit stands alone. */
export function commit<T>(
  history: History<T>,
  next: T,
  { about, now }: Readonly<{ about?: string | undefined; now: number }>,
): History<T> {
  if (next === history.present) return history
  const { last } = history
  const joins = last !== null && last.about === about && now - last.at < JOIN_MS
  return {
    past: joins ? history.past : [...history.past, history.present].slice(-MOST),
    present: next,
    future: [],
    last: about === undefined ? null : { about, at: now },
  }
}

export function undo<T>(history: History<T>): History<T> {
  const before = history.past.at(-1)
  if (before === undefined) return history
  return {
    past: history.past.slice(0, -1),
    present: before,
    future: [history.present, ...history.future],
    last: null,
  }
}

export function redo<T>(history: History<T>): History<T> {
  const [next, ...rest] = history.future
  if (next === undefined) return history
  return { past: [...history.past, history.present], present: next, future: rest, last: null }
}
