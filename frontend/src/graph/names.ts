import { strings } from '@/strings/studio'

import type { AgentStatus, AgentView } from './run-view'

const COMBINES = 'synthesis'

/** Role names; agents that share one are numbered: "Planner", "Planner 2". One that speaks in
 * several rounds is the same in all of them: "Debater 1", "Debater 1, round 2". */
export function agentNames(agents: Iterable<AgentView>): ReadonlyMap<string, string> {
  const seen = new Map<string, number>()
  const names = new Map<string, string>()
  for (const { id, roleName, round } of agents) {
    const name =
      round === null || round === 1 ? roleName : strings.agentNames.inRound(roleName, round)
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    names.set(id, count === 1 ? name : `${name} ${count}`)
  }
  return names
}

/** Of whoever speaks in several rounds, the agent of the last one in which it has spoken; of all
 * others the agents themselves. */
export function speakers(agents: Iterable<AgentView>): AgentView[] {
  const last = new Map<string, AgentView>()
  for (const agent of agents) {
    const speaker = agent.round === null ? `agent ${agent.id}` : `role ${agent.roleKey}`
    const known = last.get(speaker)
    const isLater = (agent.round ?? 0) > (known?.round ?? 0)
    if (!known || (isLater && hasEnded(agent))) last.set(speaker, agent)
  }
  return [...last.values()]
}

const SPOKEN: ReadonlySet<AgentStatus> = new Set(['done', 'reused', 'refused'])

/** It has said what it says; one that is still to come, was stopped or failed has not. */
export const hasSpoken = ({ status }: AgentView): boolean => SPOKEN.has(status)

/** Those whose own answers are counted beside each other: one that combines what others say, such
 * as a summary agent or a vote counter, has no answer of its own. */
export const voters = (agents: Iterable<AgentView>): AgentView[] =>
  speakers(agents).filter(({ family }) => family !== COMBINES)

export const hasEnded = ({ endedAt }: AgentView): boolean => endedAt !== null

/** The names that were known where they are the same: who shows them need not be drawn anew. */
export function namesAfter(
  agents: Iterable<AgentView>,
  before: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const names = agentNames(agents)
  const isSame = names.size === before.size && [...names].every(([id, n]) => before.get(id) === n)
  return isSame ? before : names
}
