import { ProgressBar } from '@/components/progress-bar'
import { useRun } from '@/components/run/run-context'
import { formatLeft } from '@/lib/format'
import { useTimeLeft } from '@/lib/use-time-left'
import { text } from '@/strings/run'

import { plannedAgents, spokenAgents } from './progress'

/** How many of a planned team have spoken, and about how long the others take. A team that is built
 * while it runs has no end that anybody knows: the tab tells of those so far. */
export function RunProgress() {
  const agents = useRun(({ view }) => plannedAgents(view))
  if (agents === null) return null
  return <Bar agents={agents} />
}

function Bar({ agents }: Readonly<{ agents: number }>) {
  const spoken = useRun(({ view }) => spokenAgents(view))
  const left = useTimeLeft(spoken, agents)
  return (
    <ProgressBar
      label={text.progress}
      value={spoken}
      total={agents}
      text={text.spokenOf(spoken, agents, left === null ? null : formatLeft(left))}
      className="max-w-xl"
    />
  )
}
