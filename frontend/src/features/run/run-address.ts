/** Which view and which agent are open, kept in the address so that a link shows the same. */
import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'

export type RunTab = 'graph' | 'build' | 'trace' | 'timeline'

const TABS: readonly RunTab[] = ['graph', 'build', 'trace', 'timeline']

export interface RunAddress {
  readonly tab: RunTab
  readonly agent: string | null
  readonly openTab: (tab: string) => void
  readonly openAgent: (id: string | null) => void
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
  const tab = TABS.find((known) => known === params.get('tab')) ?? 'graph'
  const agent = params.get('agent')
  return useMemo(() => ({ tab, agent, openTab, openAgent }), [tab, agent, openTab, openAgent])
}
