import { useCallback, useMemo } from 'react'

import { agentNames } from '@/graph/names'
import type { AgentView } from '@/graph/run-view'

import { useRun } from './run-context'

const NOBODY: ReadonlyMap<string, AgentView> = new Map()

export function useAgents(): ReadonlyMap<string, AgentView> {
  return useRun((state) => state.attempt?.agents ?? NOBODY)
}

/** Role names; agents that share one are numbered: "Planner", "Planner 2". */
export function useAgentNames(): (id: string) => string {
  const agents = useAgents()
  const names = useMemo(() => agentNames(agents.values()), [agents])
  return useCallback((id: string) => names.get(id) ?? id, [names])
}
