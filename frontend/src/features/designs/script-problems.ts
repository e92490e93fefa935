import type { Problems } from './checker'

/** The lines of a script that have a problem. */
export const problemsByLine = (problems: Problems): ReadonlySet<number> =>
  new Set(problems.flatMap(({ line }) => (line === null ? [] : [line])))
