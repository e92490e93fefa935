import { createContext, use } from 'react'

import type { Direction } from '@/graph/layout'

export interface CanvasActions {
  readonly selected: string | null
  /** The one node that Tab reaches; arrow keys move it. */
  readonly tabStop: string
  readonly direction: Direction
  readonly open: (id: string) => void
  readonly walk: (from: string, key: string) => boolean
}

export const CanvasContext = createContext<CanvasActions | null>(null)

export function useCanvas(): CanvasActions {
  const actions = use(CanvasContext)
  if (!actions) throw new Error('useCanvas needs a CanvasContext around it')
  return actions
}
