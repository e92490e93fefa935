import { useMemo } from 'react'

import type { Problems } from './checker'
import { useChecker } from './checker-context'
import { useSpec } from './design-store'

const NONE: Problems = []

/** What is wrong with the design; of agents that are gone since it was asked, nothing is said. */
export function useProblems(): Problems {
  const problems = useChecker((state) => state.problems)
  const { agents } = useSpec()
  return useMemo(() => {
    const there = new Set(agents.map(({ id }) => id))
    return problems.filter(({ agent_id }) => agent_id === null || there.has(agent_id))
  }, [problems, agents])
}

/** One agent's. */
export const useProblemsOf = (id: string): Problems =>
  useChecker((state) => state.ofAgent.get(id) ?? NONE)
