import { useCallback, useMemo } from 'react'

import { useRun } from '@/components/run/run-context'
import { useAgents } from '@/components/run/use-agents'
import { useRoleName } from '@/components/run/use-roles'
import { hasStopped } from '@/graph/run-view'

import { divisionOf, subtasksOf, type SearchView, type SubtaskView } from './task-graph'

/** As they stand at the moment that is shown. */
export function useSubtasks(): readonly SubtaskView[] {
  const taskGraph = useRun(({ attempt }) => divisionOf(attempt).taskGraph)
  const agents = useAgents()
  const hasEnded = useRun(({ attempt }) => attempt !== null && hasStopped(attempt))
  return useMemo(() => subtasksOf({ taskGraph, agents, hasEnded }), [taskGraph, agents, hasEnded])
}

export type Score = SearchView['candidates'][number]

/** Name of a candidate's role: it is known before the agent is. */
export function useCandidateRole(): (score: Score) => string {
  const agents = useAgents()
  const nameOf = useRoleName()
  return useCallback(
    ({ agent_id: id, role_key: key }) => agents.get(id)?.roleName ?? nameOf(key),
    [agents, nameOf],
  )
}
