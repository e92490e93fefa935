import { useMemo } from 'react'

import { useRun } from '@/components/run/run-context'
import { hasStopped, type PlannerCallView, type RejectedPlanView } from '@/graph/task-graph'
import { text } from '@/strings/subtask-views'

const { unplanned: words } = text

/** Why no subtask is shown, at the moment that is shown; null where some are. */
export function useWhyNone(): string | null {
  const isPlanned = useRun(({ attempt }) => attempt?.taskGraph != null)
  const isOver = useRun(({ attempt }) => attempt !== null && hasStopped(attempt))
  const hasFailed = useRejectedPlans().length > 0
  if (isPlanned) return null
  if (isOver) return hasFailed ? words.none : words.ended
  return hasFailed ? words.soFar : words.notYet
}

export type RejectedPlan = Pick<PlannerCallView, 'ordinal' | 'endpoint'> & RejectedPlanView

const NO_CALLS: readonly PlannerCallView[] = []

/** What a planner wrote that is no task graph, by the moment that is shown. */
export function useRejectedPlans(): readonly RejectedPlan[] {
  const calls = useRun(({ attempt }) => attempt?.plannerCalls ?? NO_CALLS)
  return useMemo(
    () =>
      calls.flatMap(({ ordinal, endpoint, rejected }) =>
        rejected ? [{ ordinal, endpoint, ...rejected }] : [],
      ),
    [calls],
  )
}
