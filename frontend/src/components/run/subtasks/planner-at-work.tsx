import { StatusIcon } from '@/components/run/agent-look'
import { useWorkerNow } from '@/components/run/run-context'
import type { PlannerCallView } from '@/graph/task-graph'
import { formatSeconds } from '@/lib/format'
import { text } from '@/strings/subtask-views'

/** A model divides the question: whose, and for how long so far. */
export function PlannerAtWork({ call }: Readonly<{ call: PlannerCallView }>) {
  const seconds = Math.max(0, useWorkerNow(1_000) - call.startedAt)
  return (
    <p className="flex items-center gap-2 px-4 py-3 text-sm">
      <StatusIcon status="active" size={14} />
      <span role="status">{text.planner.atWork(call.ordinal, call.endpoint)}</span>
      <span className="text-ink-3">{formatSeconds(seconds)}</span>
    </p>
  )
}
