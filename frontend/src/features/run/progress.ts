import { firstOf, type GraphFamily, type Progress } from '@/graph/family'
import { currentAttempt, isEnded, type AgentView, type RunView } from '@/graph/run-view'
import { text } from '@/strings/run'
import { strings } from '@/strings/studio'

/** How far a run is, for the tab's title: of the agents that there are so far, how many have spoken. It
 * may build more. Null once it has ended. */
export function progressOf(view: RunView): string | null {
  if (isEnded(view.status)) return null
  if (view.status !== 'running') return strings.status[view.status]
  return text.spoken(spokenAgents(view), agentsOf(view).length)
}

export const spokenAgents = (view: RunView): number =>
  agentsOf(view).filter(({ endedAt }) => endedAt !== null).length

/** How far a run is, where its end is known: by what its family counts, else by its agents, if it has
 * several. */
export function plannedProgress(view: RunView, families: readonly GraphFamily[]): Progress | null {
  const attempt = currentAttempt(view)
  if (view.status !== 'running' || !attempt) return null
  const own = firstOf(families, ({ progress }) => progress?.(attempt))
  if (own !== null) return own === 'open' ? null : own
  const total = attempt.agents.size
  return total > 1 ? { done: spokenAgents(view), total, words: text } : null
}

const agentsOf = (view: RunView): AgentView[] => [...(currentAttempt(view)?.agents.values() ?? [])]
