import type { ViewProps } from '@/components/run/family-views'
import { useRun } from '@/components/run/run-context'
import { hasStopped } from '@/graph/run-view'

import { PlannerAtWork } from './planner-at-work'
import { MendedPlan, NothingPlanned } from './rejected-plans'
import { SubtaskCanvas } from './subtask-canvas'
import { divisionOf } from './task-graph'
import { useRejectedPlans } from './use-planning'
import { text } from './view-words'

/** The query as subtasks, and who divides it: while that goes on, and what could not be used. */
export function SubtaskView(props: Readonly<ViewProps>) {
  const rejected = useRejectedPlans()
  const isPlanned = useRun(({ attempt }) => divisionOf(attempt).taskGraph !== null)
  const asked = useRun(({ attempt }) =>
    attempt === null || hasStopped(attempt)
      ? null
      : (divisionOf(attempt).plannerCalls.find(({ endedAt }) => endedAt === null) ?? null),
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
