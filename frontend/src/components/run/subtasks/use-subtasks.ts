import { useCallback, useMemo } from 'react'

import { useRun } from '@/components/run/run-context'
import { shownWhole } from '@/components/run/run-store'
import { useAgents } from '@/components/run/use-agents'
import { useActionName } from '@/components/run/use-roles'
import { hasStopped, subtasksOf, type SearchView, type SubtaskView } from '@/graph/task-graph'

/** Whether the run that is shown is divided into subtasks, or failed to be, at whatever moment of it
 * one looks. */
export const useHasSubtasks = (): boolean =>
  useRun((state) => {
    const whole = shownWhole(state)
    return whole !== null && (whole.taskGraph !== null || whole.plannerCalls.length > 0)
  })

/** As they stand at the moment that is shown. */
export function useSubtasks(): readonly SubtaskView[] {
  const taskGraph = useRun(({ attempt }) => attempt?.taskGraph ?? null)
  const agents = useAgents()
  const hasEnded = useRun(({ attempt }) => attempt !== null && hasStopped(attempt))
  return useMemo(() => subtasksOf({ taskGraph, agents, hasEnded }), [taskGraph, agents, hasEnded])
}

export type Score = SearchView['candidates'][number]

/** Name of a candidate's role: it is known before the agent is. */
export function useCandidateRole(): (score: Score) => string {
  const agents = useAgents()
  const nameOf = useActionName()
  return useCallback(
    ({ agent_id: id, role_key: key }) => agents.get(id)?.roleName ?? nameOf(key),
    [agents, nameOf],
  )
}
