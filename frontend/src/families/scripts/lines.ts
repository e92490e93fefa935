/** What the lines of a script show: who speaks now, who is made there, what is wrong, what was chosen. */
import type { AgentView } from '@/graph/run-view'

import { grouped } from './grouped'
import type { BlockCalled, Drawing, DrawnBlock, ScriptProblem } from './scripts'

export interface Lit {
  /** Lines that make an agent that speaks now. */
  readonly now: ReadonlySet<number>
  /** Lines of the blocks around it, and of its call. */
  readonly around: ReadonlySet<number>
}

export function litBy(
  calls: readonly BlockCalled[],
  agents: ReadonlyMap<string, Pick<AgentView, 'status'>>,
): Lit {
  const speaking = calls.filter(({ node }) => agents.get(node.id)?.status === 'active')
  const now = new Set(speaking.map(({ line }) => line))
  const around = new Set(speaking.flatMap(({ lines }) => lines).filter((line) => !now.has(line)))
  return { now, around }
}

export function problemsByLine(
  problems: readonly ScriptProblem[],
): ReadonlyMap<number | null, readonly ScriptProblem[]> {
  return grouped(problems, ({ line }) => line)
}

export const blocksByLine = (drawing: Drawing | null): ReadonlyMap<number, readonly DrawnBlock[]> =>
  grouped(drawing?.blocks ?? [], ({ line }) => line)

/** Of the lines × lines that are compared: 1,000 × 1,000 take some 10 ms. Above that, all count as changed. */
const MOST_COMPARED = 1_000_000

/** Lines of a script that another does not have in the same order: what was written anew. */
export function linesNotIn(script: string, other: string): ReadonlySet<number> {
  const [old, now] = [other.split('\n'), script.split('\n')]
  // A script that grows differs in a few lines: only what lies between its equal ends is compared.
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  const before = old.slice(head, old.length - tail)
  const after = now.slice(head, now.length - tail)
  const common = commonLines(before, after)
  const fresh = after.flatMap((line, index) =>
    common.has(index) || line.trim() === '' ? [] : [head + index + 1],
  )
  return new Set(fresh)
}

/** Places in `after` of the lines of a longest common subsequence. */
function commonLines(before: readonly string[], after: readonly string[]): ReadonlySet<number> {
  const common = new Set<number>()
  if (before.length * after.length > MOST_COMPARED) return common
  const lengths = commonLengths(before, after)
  let place = 0
  after.forEach((line, index) => {
    const at = lengths[place]?.[index] ?? 0
    let next = place
    while (next < before.length && (lengths[next + 1]?.[index] ?? 0) === at) next += 1
    const isCommon = before[next] === line && (lengths[next + 1]?.[index + 1] ?? 0) + 1 === at
    if (!isCommon) return
    common.add(index)
    place = next + 1
  })
  return common
}

/** Lengths of the longest common subsequences of all tails: `[i][j]` of `before[i:]` and `after[j:]`. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () =>
    Array.from({ length: after.length + 1 }, () => 0),
  )
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const [here, below] = [lengths[i], lengths[i + 1]]
      if (!here || !below) continue
      here[j] =
        before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, here[j + 1] ?? 0)
    }
  }
  return lengths
}
