import { useCallback } from 'react'

import type { AgentView } from '@/graph/run-view'

import { useRun } from './run-context'
import { text } from '@/strings/run'

const NOBODY: ReadonlyMap<string, AgentView> = new Map()

export function useAgents(): ReadonlyMap<string, AgentView> {
  return useRun((state) => state.attempt?.agents ?? NOBODY)
}

/** Of an agent that works and of whose words nothing is known yet; of a replay they are not kept. */
export function useSilence(): string {
  return useRun(({ moment }) => (moment === null ? text.thinking : text.atWork))
}

/** Role names; agents that share one are numbered: "Planner", "Planner 2". */
export function useAgentNames(): (id: string) => string {
  const names = useRun((state) => state.names)
  return useCallback((id: string) => names.get(id) ?? id, [names])
}
