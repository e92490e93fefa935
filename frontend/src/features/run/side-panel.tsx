import { useQuery } from '@tanstack/react-query'

import { usePolicy } from '@/components/run/policy'
import { useRun } from '@/components/run/run-context'
import { queries } from '@/lib/api/queries'

import { ConstructionPanel } from './construction-panel'
import { TeamPanel } from './team-panel'

interface Props {
  selected: string | null
  onSelect: (id: string) => void
}

/** Whether a policy builds the team: seen in the trace, and before that told by the method. */
export function useIsConstructed(): boolean {
  const key = useRun((state) => state.view.detail?.method)
  const hasAgents = useRun((state) => (state.attempt?.agents.size ?? 0) > 0)
  const isSeen = useRun((state) => (state.attempt?.steps.length ?? 0) > 0)
  const method = useQuery(queries.methods).data?.find((each) => each.key === key)
  const { maxSteps } = usePolicy()
  return isSeen || (!hasAgents && method?.learns === true && maxSteps !== null)
}

export function SidePanel(props: Readonly<Props>) {
  return useIsConstructed() ? <ConstructionPanel {...props} /> : <TeamPanel {...props} />
}
