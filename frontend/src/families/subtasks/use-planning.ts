import { useMemo } from 'react'

import { useRun } from '@/components/run/run-context'
import { hasStopped } from '@/graph/run-view'

import { divisionOf, type PlannerCallView, type RejectedPlanView } from './task-graph'
import { text } from './view-words'

const { unplanned: words } = text

/** Why no subtask is shown, at the moment that is shown; null where some are. */
export function useWhyNone(): string | null {
  const isPlanned = useRun(({ attempt }) => divisionOf(attempt).taskGraph !== null)
  const isOver = useRun(({ attempt }) => attempt !== null && hasStopped(attempt))
  const hasFailed = useRejectedPlans().length > 0
  if (isPlanned) return null
  if (isOver) return hasFailed ? words.none : words.ended
  return hasFailed ? words.soFar : words.notYet
}

export type RejectedPlan = Pick<PlannerCallView, 'ordinal' | 'endpoint'> & RejectedPlanView

/** What a planner wrote that is no task graph, by the moment that is shown. */
export function useRejectedPlans(): readonly RejectedPlan[] {
  const calls = useRun(({ attempt }) => divisionOf(attempt).plannerCalls)
  return useMemo(
    () =>
      calls.flatMap(({ ordinal, endpoint, rejected }) =>
        rejected ? [{ ordinal, endpoint, ...rejected }] : [],
      ),
    [calls],
  )
}
