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

/** Lines of a script that another does not have in the same order: what was written anew. */
export function linesNotIn(script: string, other: string): ReadonlySet<number> {
  const [before, after] = [other.split('\n'), script.split('\n')]
  const lengths = commonLengths(before, after)
  const fresh = new Set<number>()
  let place = 0
  after.forEach((line, index) => {
    const at = lengths[place]?.[index] ?? 0
    let next = place
    while (next < before.length && (lengths[next + 1]?.[index] ?? 0) === at) next += 1
    const isCommon = before[next] === line && (lengths[next + 1]?.[index + 1] ?? 0) + 1 === at
    if (isCommon) place = next + 1
    else if (line.trim() !== '') fresh.add(index + 1)
  })
  return fresh
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
