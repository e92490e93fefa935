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
  if (view.status !== 'running' || currentAttempt(view)?.steps.length !== 0) return null
  const { length } = agentsOf(view)
  return length > 1 ? length : null
}

const agentsOf = (view: RunView): AgentView[] => [...(currentAttempt(view)?.agents.values() ?? [])]
