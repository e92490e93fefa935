import { useCallback, useMemo, useState } from 'react'

import type { RunSummary } from '@/lib/api/queries'

export interface Selection {
  /** Of the rows that are shown, in their order: a run that a filter hides is not acted on. */
  readonly chosen: readonly RunSummary[]
  readonly has: (id: string) => boolean
  readonly toggle: (id: string, chosen: boolean) => void
  /** All rows shown, or none. */
  readonly toggleAll: (chosen: boolean) => void
  readonly isAll: boolean
}

export function useSelection(rows: readonly RunSummary[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const chosen = useMemo(() => rows.filter(({ id }) => ids.has(id)), [rows, ids])
  const toggle = useCallback(
    (id: string, wanted: boolean) =>
      setIds((known) => {
        const next = new Set(known)
        if (wanted) next.add(id)
        else next.delete(id)
        return next
      }),
    [],
  )
  const toggleAll = useCallback(
    (wanted: boolean) => setIds(new Set(wanted ? rows.map(({ id }) => id) : [])),
    [rows],
  )
  return {
    chosen,
    has: (id) => ids.has(id),
    toggle,
    toggleAll,
    isAll: rows.length > 0 && chosen.length === rows.length,
  }
}
