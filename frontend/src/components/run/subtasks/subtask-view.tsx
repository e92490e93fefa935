import { useRun } from '@/components/run/run-context'
import { hasStopped } from '@/graph/task-graph'
import { text } from '@/strings/subtask-views'

import { PlannerAtWork } from './planner-at-work'
import { MendedPlan, NothingPlanned } from './rejected-plans'
import { SubtaskCanvas, type SubtaskCanvasProps } from './subtask-canvas'
import { useRejectedPlans } from './use-planning'

/** The query as subtasks, and who divides it: while that goes on, and what could not be used. */
export function SubtaskView(props: Readonly<SubtaskCanvasProps>) {
  const rejected = useRejectedPlans()
  const isPlanned = useRun(({ attempt }) => attempt?.taskGraph != null)
  const asked = useRun(({ attempt }) =>
    attempt === null || hasStopped(attempt)
      ? null
      : (attempt.plannerCalls.find(({ endedAt }) => endedAt === null) ?? null),
  )
  return (
    <div className="flex size-full min-h-0 flex-col">
      <p role="status" className="sr-only">
        {asked ? text.planner.atWork(asked.ordinal, asked.endpoint) : ''}
      </p>
      {asked ? <PlannerAtWork call={asked} /> : null}
      <div className="flex min-h-0 flex-1 flex-col">
        {rejected.length > 0 && !isPlanned ? (
          <NothingPlanned plans={rejected} />
        ) : (
          <>
            {rejected.length > 0 ? <MendedPlan plans={rejected} /> : null}
            <div className="min-h-0 flex-1">
              <SubtaskCanvas {...props} />
            </div>
          </>
        )}
      </div>
    </div>
  )
}
