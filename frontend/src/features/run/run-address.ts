/** Which view and which agent are open, kept in the address so that a link shows the same. */
import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'

import { useRun } from '@/components/run/run-context'
import { useHasSubtasks } from '@/components/run/subtasks/use-subtasks'
import { useParam, useSetParams } from '@/lib/use-param'

export type RunTab = 'subtasks' | 'graph' | 'build' | 'trace' | 'timeline'

const TABS: readonly RunTab[] = ['subtasks', 'graph', 'build', 'trace', 'timeline']

export interface RunAddress {
  readonly tab: RunTab
  readonly agent: string | null
  readonly subtask: string | null
  /** Number of an earlier attempt; null: the current one. */
  readonly attempt: number | null
  /** A place in the replay; null: the end. */
  readonly moment: number | null
  readonly openTab: (tab: string) => void
  readonly openAgent: (id: string | null) => void
  /** In the view of subtasks. */
  readonly openSubtask: (id: string | null) => void
  readonly openPlace: (attempt: number | null, moment: number | null) => void
}

export function useRunAddress(): RunAddress {
  const [params] = useSearchParams()
  const setParams = useSetParams()
  // A run that has subtasks opens with them.
  const hasSubtasks = useHasSubtasks()
  const home: RunTab = hasSubtasks ? 'subtasks' : 'graph'
  const openTab = useCallback(
    (tab: string) => setParams({ tab: tab === home ? null : tab }),
    [setParams, home],
  )
  const openAgent = useCallback((agent: string | null) => setParams({ agent }), [setParams])
  const openSubtask = useCallback(
    (subtask: string | null) => setParams({ subtask, agent: null, tab: null }),
    [setParams],
  )
  const openPlace = useCallback(
    (attempt: number | null, moment: number | null) =>
      setParams({
        attempt: attempt === null ? null : String(attempt),
        moment: moment === null ? null : String(moment + 1),
      }),
    [setParams],
  )
  const asked = TABS.find((known) => known === params.get('tab')) ?? home
  const tab = asked === 'subtasks' ? home : asked
  const agent = params.get('agent')
  const subtask = params.get('subtask')
  const attempt = countOf(params.get('attempt'))
  const place = countOf(params.get('moment'))
  const moment = place === null ? null : place - 1
  return useMemo(
    () => ({ tab, agent, subtask, attempt, moment, openTab, openAgent, openSubtask, openPlace }),
    [tab, agent, subtask, attempt, moment, openTab, openAgent, openSubtask, openPlace],
  )
}

/** Counted from 1, as people read it. */
function countOf(value: string | null): number | null {
  return value !== null && /^[1-9]\d{0,5}$/.test(value) ? Number(value) : null
}

/** Of the agent and the subtask in the address, those that there are at the moment that is shown. */
export function useSelected(): Pick<RunAddress, 'agent' | 'subtask'> {
  const { agent, subtask } = useRunAddress()
  const isAgent = useRun(({ attempt }) => agent !== null && attempt?.agents.has(agent) === true)
  const isSubtask = useRun(
    ({ attempt }) => attempt?.taskGraph?.subtasks.some(({ id }) => id === subtask) === true,
  )
  return { agent: isAgent ? agent : null, subtask: isSubtask ? subtask : null }
}

/** What the trace is searched for. */
export const useTraceSearch = () => useParam('q')
