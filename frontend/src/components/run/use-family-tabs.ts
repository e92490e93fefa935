import { useShallow } from 'zustand/react/shallow'

import { tells } from '@/graph/family'

import type { FamilyTab } from './family-views'
import { useRun } from './run-context'
import { shownWhole } from './run-store'

/** Tabs of the families that have kept something of the attempt, at any moment of its replay. */
export const useFamilyTabs = (): readonly FamilyTab[] =>
  useRun(
    useShallow((state) => {
      const whole = shownWhole(state)
      return state.families.flatMap((family) =>
        family.tab && whole && tells(family, whole) ? [family.tab] : [],
      )
    }),
  )

/** Name of what is chosen in a tab; null: nothing that exists at the moment that is shown. */
export const useChosenName = (tab: FamilyTab | null, id: string | null): string | null =>
  useRun(({ attempt }) => (attempt && tab && id !== null ? tab.nameOf(attempt, id) : null))
