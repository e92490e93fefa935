/** Which view and which agent are open, kept in the address so that a link shows the same. */
import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'

import { useParam, useSetParams } from '@/lib/use-param'

export type RunTab = 'graph' | 'build' | 'trace' | 'timeline'

const TABS: readonly RunTab[] = ['graph', 'build', 'trace', 'timeline']

export interface RunAddress {
  readonly tab: RunTab
  readonly agent: string | null
  /** Number of an earlier attempt; null: the current one. */
  readonly attempt: number | null
  /** A place in the replay; null: the end. */
  readonly moment: number | null
  readonly openTab: (tab: string) => void
  readonly openAgent: (id: string | null) => void
  readonly openPlace: (attempt: number | null, moment: number | null) => void
}

export function useRunAddress(): RunAddress {
  const [params] = useSearchParams()
  const setParams = useSetParams()
  const openTab = useCallback(
    (tab: string) => setParams({ tab: tab === 'graph' ? null : tab }),
    [setParams],
  )
  const openAgent = useCallback((agent: string | null) => setParams({ agent }), [setParams])
  const openPlace = useCallback(
    (attempt: number | null, moment: number | null) =>
      setParams({
        attempt: attempt === null ? null : String(attempt),
        moment: moment === null ? null : String(moment + 1),
      }),
    [setParams],
  )
  const tab = TABS.find((known) => known === params.get('tab')) ?? 'graph'
  const agent = params.get('agent')
  const attempt = countOf(params.get('attempt'))
  const place = countOf(params.get('moment'))
  const moment = place === null ? null : place - 1
  return useMemo(
    () => ({ tab, agent, attempt, moment, openTab, openAgent, openPlace }),
    [tab, agent, attempt, moment, openTab, openAgent, openPlace],
  )
}

/** Counted from 1, as people read it. */
function countOf(value: string | null): number | null {
  return value !== null && /^[1-9]\d{0,5}$/.test(value) ? Number(value) : null
}

/** What the trace is searched for. */
export const useTraceSearch = () => useParam('q')
