import type { AgentView } from './run-view'

/** Role names; agents that share one are numbered: "Planner", "Planner 2". */
export function agentNames(agents: Iterable<AgentView>): ReadonlyMap<string, string> {
  const seen = new Map<string, number>()
  const names = new Map<string, string>()
  for (const { id, roleName } of agents) {
    const count = (seen.get(roleName) ?? 0) + 1
    seen.set(roleName, count)
    names.set(id, count === 1 ? roleName : `${roleName} ${count}`)
  }
  return names
}

/** The names that were known where they are the same: who shows them need not be drawn anew. */
export function namesAfter(
  agents: Iterable<AgentView>,
  before: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const names = agentNames(agents)
  const isSame = names.size === before.size && [...names].every(([id, n]) => before.get(id) === n)
  return isSame ? before : names
}
