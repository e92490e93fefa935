import { useCallback, useMemo, useRef, useState } from 'react'

import type { RunSummary } from '@/lib/api/queries'

export interface Selection {
  /** Of the rows that are shown, in their order: a run that a filter hides is not acted on. */
  readonly chosen: readonly RunSummary[]
  readonly has: (id: string) => boolean
  /** `through`: with all rows between it and the one before. */
  readonly toggle: (id: string, chosen: boolean, through?: boolean) => void
  /** All rows shown, or none. */
  readonly toggleAll: (chosen: boolean) => void
  readonly isAll: boolean
}

export function useSelection(rows: readonly RunSummary[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const chosen = useMemo(() => rows.filter(({ id }) => ids.has(id)), [rows, ids])
  const before = useRef<string | null>(null)
  const toggle = useCallback(
    (id: string, wanted: boolean, through = false) => {
      const meant = through ? between(rows, before.current, id) : [id]
      before.current = id
      setIds((known) => {
        const next = new Set(known)
        for (const each of meant) {
          if (wanted) next.add(each)
          else next.delete(each)
        }
        return next
      })
    },
    [rows],
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

/** Both and what lies between them, as the rows are shown now; the second alone where one is gone. */
function between(rows: readonly RunSummary[], one: string | null, other: string): string[] {
  const places = [one, other].map((wanted) => rows.findIndex(({ id }) => id === wanted))
  if (places.includes(-1)) return [other]
  return rows.slice(Math.min(...places), Math.max(...places) + 1).map(({ id }) => id)
}
