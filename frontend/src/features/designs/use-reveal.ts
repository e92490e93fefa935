import { useReactFlow, useStoreApi } from '@xyflow/react'
import { useCallback } from 'react'

import { useReducedMotion } from '@/lib/use-wide'

import { useDesignStore } from './design-store'
import { cardSize } from './edits'

const MOVE_MS = 250
const MARGIN = 24

/** Brings an agent into view, where it is not there already. The zoom stays as it is. */
export function useReveal(): (id: string) => void {
  const flow = useReactFlow()
  const frame = useStoreApi()
  const store = useDesignStore()
  const duration = useReducedMotion() ? 0 : MOVE_MS
  return useCallback(
    (id) => {
      const agent = store.getState().history.present.spec.agents.find((each) => each.id === id)
      if (typeof agent?.x !== 'number' || typeof agent.y !== 'number') return
      const { width, height } = frame.getState()
      const { x, y, zoom } = flow.getViewport()
      const left = agent.x * zoom + x
      const top = agent.y * zoom + y
      const isInside =
        left >= MARGIN &&
        top >= MARGIN &&
        left + cardSize.width * zoom <= width - MARGIN &&
        top + cardSize.height * zoom <= height - MARGIN
      if (isInside) return
      const centre = [agent.x + cardSize.width / 2, agent.y + cardSize.height / 2] as const
      void flow.setCenter(...centre, { zoom, duration })
    },
    [duration, flow, frame, store],
  )
}
