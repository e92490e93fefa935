import { useRun } from '@/components/run/run-context'
import type { RejectedPlanView } from '@/graph/task-graph'

import { MendedPlan, NothingPlanned } from './rejected-plans'
import { SubtaskCanvas, type SubtaskCanvasProps } from './subtask-canvas'

const NONE: readonly RejectedPlanView[] = []

/** The query as subtasks, and what a planner wrote before that could not be used. */
export function SubtaskView(props: Readonly<SubtaskCanvasProps>) {
  const rejected = useRun(({ attempt }) => attempt?.rejectedPlans ?? NONE)
  const isPlanned = useRun(({ attempt }) => attempt?.taskGraph != null)
  if (rejected.length > 0 && !isPlanned) return <NothingPlanned plans={rejected} />
  return (
    <div className="flex size-full min-h-0 flex-col">
      {rejected.length > 0 ? <MendedPlan plans={rejected} /> : null}
      <div className="min-h-0 flex-1">
        <SubtaskCanvas {...props} />
      </div>
    </div>
  )
}
