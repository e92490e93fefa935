import { useCallback, useMemo } from 'react'

import type { AgentView } from '@/graph/run-view'

import { useRun } from './run-context'

const NOBODY: ReadonlyMap<string, AgentView> = new Map()

export function useAgents(): ReadonlyMap<string, AgentView> {
  return useRun((state) => state.attempt?.agents ?? NOBODY)
}

/** Role names; agents that share one are numbered: "Planner", "Planner 2". */
export function useAgentNames(): (id: string) => string {
  const agents = useAgents()
  const names = useMemo(() => numberedNames([...agents.values()]), [agents])
  return useCallback((id: string) => names.get(id) ?? id, [names])
}

export function numberedNames(agents: readonly AgentView[]): ReadonlyMap<string, string> {
  const seen = new Map<string, number>()
  return new Map(
    agents.map(({ id, roleName }) => {
      const count = (seen.get(roleName) ?? 0) + 1
      seen.set(roleName, count)
      return [id, count === 1 ? roleName : `${roleName} ${count}`]
    }),
  )
}
