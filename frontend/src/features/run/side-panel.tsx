import { ConstructionPanel } from './construction-panel'
import { useRun } from './run-context'
import { TeamPanel } from './team-panel'

interface Props {
  selected: string | null
  onSelect: (id: string) => void
}

/** Whether a policy builds the team, as far as it is known by now. */
export function useIsConstructed(): boolean {
  return useRun(
    ({ attempt }) => (attempt?.steps.length ?? 0) > 0 || attempt?.start?.trained != null,
  )
}

export function SidePanel(props: Readonly<Props>) {
  return useIsConstructed() ? <ConstructionPanel {...props} /> : <TeamPanel {...props} />
}
