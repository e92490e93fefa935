import { useReactFlow, useStoreApi } from '@xyflow/react'
import { useCallback } from 'react'

import type { Point } from '@/graph/layout'
import { useReducedMotion } from '@/lib/use-wide'

import { useDesignStore } from './design-store'
import { cardSize, type DesignSpec } from './edits'
import { GHOST_ID, ghostOf } from './ghost'
import { READABLE_ZOOM } from './views'

const MOVE_MS = 250
const MARGIN = 24

/** Brings an agent into view, where it is not there already, and as near as it takes to read its name. */
export function useReveal(): (id: string) => void {
  const flow = useReactFlow()
  const frame = useStoreApi()
  const store = useDesignStore()
  const duration = useReducedMotion() ? 0 : MOVE_MS
  return useCallback(
    (id) => {
      const place = placeOf(store.getState().history.present.spec, id)
      if (!place) return
      const { width, height } = frame.getState()
      const { x, y, zoom } = flow.getViewport()
      const left = place.x * zoom + x
      const top = place.y * zoom + y
      const isInside =
        left >= MARGIN &&
        top >= MARGIN &&
        left + cardSize.width * zoom <= width - MARGIN &&
        top + cardSize.height * zoom <= height - MARGIN
      if (isInside && zoom >= READABLE_ZOOM) return
      const centre = [place.x + cardSize.width / 2, place.y + cardSize.height / 2] as const
      void flow.setCenter(...centre, { zoom: Math.max(zoom, READABLE_ZOOM), duration })
    },
    [duration, flow, frame, store],
  )
}

function placeOf(spec: DesignSpec, id: string): Point | null {
  if (id === GHOST_ID) return ghostOf(spec)?.place ?? null
  const agent = spec.agents.find((each) => each.id === id)
  return typeof agent?.x === 'number' && typeof agent.y === 'number'
    ? { x: agent.x, y: agent.y }
    : null
}
