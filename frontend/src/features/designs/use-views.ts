import { useReactFlow } from '@xyflow/react'
import { useMemo } from 'react'

import { useReducedMotion } from '@/lib/use-wide'

import { useDesignStore } from './design-store'
import { tidyUp } from './edits'

const MOVE_MS = 250
const STEP = 1.3

export interface Views {
  readonly fit: () => void
  readonly zoomIn: () => void
  readonly zoomOut: () => void
  readonly tidy: () => void
}

/** How the drawing is looked at, and laid out anew. */
export function useViews(): Views {
  const flow = useReactFlow()
  const store = useDesignStore()
  const duration = useReducedMotion() ? 0 : MOVE_MS
  return useMemo(() => {
    const fit = () => void flow.fitView({ maxZoom: 1, padding: 0.15, duration })
    const zoom = (factor: number) => () =>
      void flow.zoomTo(flow.getZoom() * factor, { duration: duration / 2 })
    return {
      fit,
      zoomIn: zoom(STEP),
      zoomOut: zoom(1 / STEP),
      tidy: () => {
        store.getState().edit(tidyUp)
        requestAnimationFrame(fit)
      },
    }
  }, [duration, flow, store])
}
