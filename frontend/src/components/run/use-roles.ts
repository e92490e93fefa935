import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'

import { wordsOf } from '@/graph/fold-event'
import { queries } from '@/lib/api/queries'

import { useRun } from './run-context'

/** The name of a role from the run's pool, else words made from its key. */
export function useRoleName(): (key: string) => string {
  const key = useRun((state) => state.view.detail?.pool ?? state.attempt?.start?.pool ?? null)
  const pool = useQuery({ ...queries.pool(key ?? ''), enabled: key !== null }).data
  const names = useMemo(
    () => new Map((pool?.roles ?? []).map((role) => [role.key, role.name])),
    [pool],
  )
  return useCallback((role) => names.get(role) ?? wordsOf(role), [names])
}
