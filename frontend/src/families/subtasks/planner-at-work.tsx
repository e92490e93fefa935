import { StatusIcon } from '@/components/run/agent-look'
import { useWorkerNow } from '@/components/run/run-context'
import { usePlace } from '@/components/run/use-place'
import { formatSeconds } from '@/lib/format'

import type { PlannerCallView } from './task-graph'
import { text } from './view-words'

/** A model divides the question: whose, and for how long so far, or so far where one looks back. */
export function PlannerAtWork({ call }: Readonly<{ call: PlannerCallView }>) {
  const now = useWorkerNow(1_000)
  const { at } = usePlace()
  return (
    <p className="flex items-center gap-2 px-4 py-3 text-sm">
      <StatusIcon status="active" size={14} />
      <span>{text.planner.atWork(call.ordinal, call.endpoint)}</span>
      <span className="text-ink-3">{formatSeconds(Math.max(0, (at ?? now) - call.startedAt))}</span>
    </p>
  )
}
