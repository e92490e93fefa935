import type { FamilySide, ListProps } from '@/components/run/family-views'
import { useRun } from '@/components/run/run-context'
import { useRunMethod } from '@/components/run/use-run-method'
import { firstOf } from '@/graph/family'

import { TeamPanel } from './team-panel'

/** What a family shows instead of the team; null: the team is shown. */
export function useFamilySide(): FamilySide | null {
  const method = useRunMethod()
  return useRun(({ attempt, families }) =>
    firstOf(families, ({ side }) => (side?.isShown(attempt, method) ? side : null)),
  )
}

export function SidePanel(props: Readonly<ListProps>) {
  const side = useFamilySide()
  return side ? <side.Panel {...props} /> : <TeamPanel {...props} />
}
