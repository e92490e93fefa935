/** Which view is open and what is chosen, kept in the address so that a link shows the same. */
import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'

import type { FamilyTab } from '@/components/run/family-views'
import { useRun } from '@/components/run/run-context'
import { useChosenName, useFamilyTabs } from '@/components/run/use-family-tabs'
import { useParam, useSetParams } from '@/lib/use-param'

const TABS = ['graph', 'build', 'trace', 'timeline']

export interface RunAddress {
  /** 'graph', 'build', 'trace', 'timeline' or the key of a family's tab. */
  readonly tab: string
  /** Of families. */
  readonly tabs: readonly FamilyTab[]
  /** The one that is open. */
  readonly own: FamilyTab | null
  /** What is chosen there. */
  readonly chosen: string | null
  readonly agent: string | null
  /** Number of an earlier attempt; null: the current one. */
  readonly attempt: number | null
  /** A place in the replay; null: the end. */
  readonly moment: number | null
  readonly openTab: (tab: string) => void
  readonly openAgent: (id: string | null) => void
  readonly openOwn: (tab: FamilyTab, id: string | null) => void
  readonly openPlace: (attempt: number | null, moment: number | null) => void
}

export function useRunAddress(): RunAddress {
  const [params] = useSearchParams()
  const setParams = useSetParams()
  const tabs = useFamilyTabs()
  // A run with a family's tab opens with it.
  const home = tabs[0]?.key ?? 'graph'
  const openTab = useCallback(
    (tab: string) => setParams({ tab: tab === home ? null : tab }),
    [setParams, home],
  )
  const openAgent = useCallback((agent: string | null) => setParams({ agent }), [setParams])
  const openOwn = useCallback(
    ({ key, parameter }: FamilyTab, id: string | null) =>
      setParams({ [parameter]: id, agent: null, tab: key === home ? null : key }),
    [setParams, home],
  )
  const openPlace = useCallback(
    (attempt: number | null, moment: number | null) =>
      setParams({
        attempt: attempt === null ? null : String(attempt),
        moment: moment === null ? null : String(moment + 1),
      }),
    [setParams],
  )
  const asked = params.get('tab')
  const tab = [...tabs.map(({ key }) => key), ...TABS].find((known) => known === asked) ?? home
  const own = tabs.find(({ key }) => key === tab) ?? null
  const chosen = own && params.get(own.parameter)
  const agent = params.get('agent')
  const attempt = countOf(params.get('attempt'))
  const place = countOf(params.get('moment'))
  const moment = place === null ? null : place - 1
  return useMemo(
    () => ({
      ...{ tab, tabs, own, chosen, agent, attempt, moment },
      ...{ openTab, openAgent, openOwn, openPlace },
    }),
    [tab, tabs, own, chosen, agent, attempt, moment, openTab, openAgent, openOwn, openPlace],
  )
}

/** Counted from 1, as people read it. */
function countOf(value: string | null): number | null {
  return value !== null && /^[1-9]\d{0,5}$/.test(value) ? Number(value) : null
}

interface Selected {
  readonly agent: string | null
  /** In the family's tab that is open. */
  readonly chosen: string | null
  readonly chosenName: string | null
}

/** What the address names, if it exists at the moment that is shown. */
export function useSelected(): Selected {
  const { agent, own, chosen } = useRunAddress()
  const isAgent = useRun(({ attempt }) => agent !== null && attempt?.agents.has(agent) === true)
  const chosenName = useChosenName(own, chosen)
  return {
    agent: isAgent ? agent : null,
    chosen: chosenName === null ? null : chosen,
    chosenName,
  }
}

/** What the trace is searched for. */
export const useTraceSearch = () => useParam('q')
