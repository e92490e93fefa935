import {
  CircleAlert,
  Flag,
  MessageSquareText,
  RotateCw,
  Scale,
  ScrollText,
  Wrench,
} from 'lucide-react'
import { useMemo } from 'react'

import type { RowLook } from './family-views'
import { useRun } from './run-context'

export type RowLooks = Readonly<Record<string, RowLook>>

const LOOKS: RowLooks = {
  attempt: { icon: RotateCw, isStrong: true, counts: true, opensAtFirst: true },
  agent: { icon: null, isStrong: true, counts: true },
  prompt: { icon: ScrollText },
  message: { icon: MessageSquareText },
  tool: { icon: Wrench },
  answer: { icon: Flag },
  verdict: { icon: Scale },
  failure: { icon: CircleAlert },
}

/** How the rows of the trace look, by their kinds. */
export function useRowLooks(): RowLooks {
  const families = useRun((state) => state.families)
  return useMemo(
    () => families.reduce<RowLooks>((looks, { rowLooks }) => ({ ...looks, ...rowLooks }), LOOKS),
    [families],
  )
}
