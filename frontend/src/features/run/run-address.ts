/** Which view and which agent are open, kept in the address so that a link shows the same. */
import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'

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
  const [params, setParams] = useSearchParams()
  const set = useCallback(
    (name: string, value: string | null) =>
      setParams(
        (known) => {
          const next = new URLSearchParams(known)
          if (value === null) next.delete(name)
          else next.set(name, value)
          return next
        },
        { replace: true, preventScrollReset: true },
      ),
    [setParams],
  )
  const openTab = useCallback((tab: string) => set('tab', tab === 'graph' ? null : tab), [set])
  const openAgent = useCallback((id: string | null) => set('agent', id), [set])
  const openMoment = useCallback(
    (moment: number | null) => set('moment', moment === null ? null : String(moment + 1)),
    [set],
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
