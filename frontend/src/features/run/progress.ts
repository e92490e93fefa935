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

/** How many agents a run under way has, where there are several, all planned before one spoke. */
export function plannedAgents(view: RunView): number | null {
  const attempt = currentAttempt(view)
  if (view.status !== 'running' || attempt?.steps.length !== 0 || attempt.taskGraph) return null
  const { length } = agentsOf(view)
  return length > 1 ? length : null
}

/** How many subtasks a run under way has; its agents are found as it goes. */
export const plannedSubtasks = (view: RunView): number | null =>
  view.status === 'running' ? (currentAttempt(view)?.taskGraph?.subtasks.length ?? null) : null

export const answeredSubtasks = (view: RunView): number =>
  currentAttempt(view)?.taskGraph?.results.size ?? 0

const agentsOf = (view: RunView): AgentView[] => [...(currentAttempt(view)?.agents.values() ?? [])]
