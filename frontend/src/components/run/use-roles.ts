import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'

import { wordsOf } from '@/graph/fold-event'
import { queries } from '@/lib/api/queries'

import { useRun } from './run-context'
import { text } from '@/strings/run'

/** The name of an action: a role's name from the run's pool, else words made from its key. */
export function useActionName(): (action: string) => string {
  const key = useRun((state) => state.view.detail?.pool ?? state.attempt?.start?.pool ?? null)
  const pool = useQuery({ ...queries.pool(key ?? ''), enabled: key !== null }).data
  const names = useMemo(
    () => new Map((pool?.roles ?? []).map((role) => [role.key, role.name])),
    [pool],
  )
  return useCallback(
    (action) =>
      action === 'DELETE' || action === 'EXIT'
        ? text.build[action]
        : (names.get(action) ?? wordsOf(action)),
    [names],
  )
}
