import { useMemo } from 'react'

import { useSpec } from './design-store'
import { useSaver } from './saver-context'
import type { DesignProblem } from './use-designs'

/** The server's list of what is wrong, of the last save; of agents that are gone since, nothing is said. */
export function useProblems(): readonly DesignProblem[] {
  const problems = useSaver((state) => state.server.problems)
  const spec = useSpec()
  return useMemo(() => {
    const there = new Set(spec.agents.map(({ id }) => id))
    return problems.filter(({ agent_id }) => agent_id === null || there.has(agent_id))
  }, [problems, spec.agents])
}

export const problemsOf = (
  problems: readonly DesignProblem[],
  id: string,
): readonly DesignProblem[] => problems.filter(({ agent_id }) => agent_id === id)
