import { useRun } from '@/components/run/run-context'
import { currentAttempt, isEnded } from '@/graph/run-view'

import { ReplayBar } from './parts'

/** Under the views of a run that has ended: how it came to be, step by step. */
export function ReplayPart() {
  const whole = useRun(({ view }) => (isEnded(view.status) ? currentAttempt(view) : null))
  if (!whole || whole.agents.size === 0) return null
  return (
    <div data-tour="replay" className="h-11 shrink-0 border-t border-line bg-surface-1">
      <ReplayBar whole={whole} />
    </div>
  )
}
