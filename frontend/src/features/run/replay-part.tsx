import { useRun } from '@/components/run/run-context'
import { storedWhole } from '@/components/run/run-store'

import { ReplayBar } from './parts'

/** Under the views of a run or an attempt that has ended: how it came to be, step by step. */
export function ReplayPart() {
  const whole = useRun(storedWhole)
  if (!whole || whole.agents.size === 0) return null
  return (
    <div data-tour="replay" className="h-11 shrink-0 border-t border-line bg-surface-1">
      <ReplayBar whole={whole} />
    </div>
  )
}
