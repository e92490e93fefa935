import { currentAttempt, isEnded, type RunView } from '@/graph/run-view'
import { text } from '@/strings/run'
import { strings } from '@/strings/studio'

/** How far a run is, for the tab's title: of the agents that there are so far, how many have spoken. It
 * may build more. Null once it has ended. */
export function progressOf(view: RunView): string | null {
  if (isEnded(view.status)) return null
  if (view.status !== 'running') return strings.status[view.status]
  const agents = [...(currentAttempt(view)?.agents.values() ?? [])]
  const spoken = agents.filter(({ endedAt }) => endedAt !== null).length
  return text.spoken(spoken, agents.length)
}
