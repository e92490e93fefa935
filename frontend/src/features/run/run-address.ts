/** Which view and which agent are open, kept in the address so that a link shows the same. */
import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'

import { useRun } from '@/components/run/run-context'
import { useParam, useSetParams } from '@/lib/use-param'

export type RunTab = 'graph' | 'build' | 'trace' | 'timeline'

const TABS: readonly RunTab[] = ['graph', 'build', 'trace', 'timeline']

export interface RunAddress {
  readonly tab: RunTab
  readonly agent: string | null
  /** A place in the replay; null: the end. */
  readonly moment: number | null
  readonly openTab: (tab: string) => void
  readonly openAgent: (id: string | null) => void
  readonly openMoment: (moment: number | null) => void
}

export function useRunAddress(): RunAddress {
  const [params] = useSearchParams()
  const setParams = useSetParams()
  const openTab = useCallback(
    (tab: string) => setParams({ tab: tab === 'graph' ? null : tab }),
    [setParams],
  )
  const openAgent = useCallback((agent: string | null) => setParams({ agent }), [setParams])
  const openMoment = useCallback(
    (moment: number | null) => setParams({ moment: moment === null ? null : String(moment + 1) }),
    [setParams],
  )
  const tab = TABS.find((known) => known === params.get('tab')) ?? 'graph'
  const agent = params.get('agent')
  const moment = momentOf(params.get('moment'))
  return useMemo(
    () => ({ tab, agent, moment, openTab, openAgent, openMoment }),
    [tab, agent, moment, openTab, openAgent, openMoment],
  )
}

/** Counted from 1, as people read it. */
function momentOf(value: string | null): number | null {
  return value !== null && /^[1-9]\d{0,5}$/.test(value) ? Number(value) - 1 : null
}

/** What the trace is searched for. */
export const useTraceSearch = () => useParam('q')

/** Opens an agent from a view that shows the whole run, also to somebody who looks back at a moment
 * of its graph. */
export function useOpenFound(): (id: string | null) => void {
  const { openAgent } = useRunAddress()
  const seek = useRun((state) => state.seek)
  return useCallback(
    (id) => {
      seek(null)
      openAgent(id)
    },
    [seek, openAgent],
  )
}
