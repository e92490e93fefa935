import { useReactFlow } from '@xyflow/react'
import { useCallback, useEffect, useRef, useState } from 'react'

import type { LayoutOptions, Positions } from '@/graph/layout'
import { useReducedMotion } from '@/lib/use-wide'

const READABLE_ZOOM = 0.62
/** Close to the agents at work, with some of what surrounds them. */
const CLOSE_ZOOM = 0.8
/** Hundreds of agents fit into a phone, as dots; before its first layout a frame has no size, and a
 * zoom is positive all the same. */
export const LEAST_ZOOM = 0.01
const MOVE_MS = 350
const MARGIN = 20
/** The controls lie over the lower rim. */
const FOOT = 36

interface Scene {
  readonly positions: Positions
  readonly visible: readonly string[]
  /** Agents at work, which stay in view when the whole graph would be too small to read. */
  readonly active: readonly string[]
  readonly layout: LayoutOptions
  readonly frame: HTMLElement | null
  /** Another set means that a snapshot came: the view is put there, it does not travel. */
  readonly known: ReadonlySet<string>
  /** A person looks back: the view holds the places of all that is still to come. */
  readonly lookingBack: boolean
}

export interface Camera {
  readonly fit: () => void
  readonly zoomBy: (factor: number) => void
  readonly show: (id: string) => void
  /** A person moved the view: from now on it stays where they put it. */
  readonly release: () => void
}

/** Keeps the growing graph in view until a person takes over. */
export function useCamera(scene: Scene): Camera {
  const flow = useReactFlow()
  const still = useReducedMotion()
  const [follows, setFollows] = useState(true)
  const lastKnown = useRef<ReadonlySet<string> | null>(null)
  const duration = still ? 0 : MOVE_MS
  const { positions, visible, active, layout, frame, known, lookingBack } = scene
  const visibleKey = visible.join(' ')
  const sceneKey = lookingBack ? [...positions.keys()].join(' ') : visibleKey
  const activeKey = lookingBack ? '' : active.join(' ')

  const fitAll = useCallback(
    (ids: readonly string[], time: number, most = 1) => {
      const bounds = boundsOf(ids, positions, layout)
      if (!bounds || !frame) return
      const zoom = Math.min(most, zoomFor(bounds, frame))
      const centre = bounds.y + bounds.height / 2 + FOOT / 2 / zoom
      void flow.setCenter(bounds.x + bounds.width / 2, centre, { zoom, duration: time })
    },
    [layout, flow, frame, positions],
  )

  useEffect(() => {
    if (!follows || !frame) return undefined
    const time = lastKnown.current === known ? duration : 0
    lastKnown.current = known
    const follow = (): void => {
      const everything = sceneKey.split(' ')
      const near = activeKey ? activeKey.split(' ') : []
      const views =
        near.length > 0 ? [everything, withNewest(near, everything), near] : [everything]
      const isReadable = (ids: readonly string[]): boolean =>
        zoomFor(boundsOf(ids, positions, layout), frame) >= READABLE_ZOOM
      const view = views.find(isReadable) ?? views.at(-1) ?? everything
      fitAll(view, time, view === everything ? 1 : CLOSE_ZOOM)
    }
    follow()
    const observer = new ResizeObserver(follow)
    observer.observe(frame)
    return () => observer.disconnect()
  }, [activeKey, layout, duration, fitAll, follows, frame, known, positions, sceneKey])

  return {
    fit: useCallback(() => {
      setFollows(true)
      fitAll(visibleKey.split(' '), duration)
    }, [duration, fitAll, visibleKey]),
    zoomBy: useCallback(
      (factor) => {
        setFollows(false)
        void flow.zoomTo(flow.getZoom() * factor, { duration: duration / 2 })
      },
      [duration, flow],
    ),
    show: useCallback(
      (id) => {
        const point = positions.get(id)
        if (!point || !frame || isInside(point, flow.getViewport(), frame, layout)) return
        const { width, height } = layout
        setFollows(false)
        void flow.setCenter(point.x + width / 2, point.y + height / 2, {
          zoom: flow.getZoom(),
          duration,
        })
      },
      [layout, duration, flow, frame, positions],
    ),
    release: useCallback(() => setFollows(false), []),
  }
}

/** The newest nodes give context to those at work. */
function withNewest(active: readonly string[], everything: readonly string[]): string[] {
  return [...new Set([...active, ...everything.slice(-3)])]
}

/** The largest zoom, at most 1, that shows all of it clear of the controls. */
function zoomFor(bounds: ReturnType<typeof boundsOf>, frame: HTMLElement): number {
  if (!bounds) return 1
  const fitting = Math.min(
    1,
    (frame.clientWidth - 2 * MARGIN) / bounds.width,
    (frame.clientHeight - 2 * MARGIN - FOOT) / bounds.height,
  )
  return Math.max(LEAST_ZOOM, fitting)
}

export function boundsOf(ids: readonly string[], positions: Positions, layout: LayoutOptions) {
  const points = ids.flatMap((id) => positions.get(id) ?? [])
  if (points.length === 0) return null
  const { width, height } = layout
  const x = Math.min(...points.map((point) => point.x))
  const y = Math.min(...points.map((point) => point.y))
  return {
    x,
    y,
    width: Math.max(...points.map((point) => point.x)) + width - x,
    height: Math.max(...points.map((point) => point.y)) + height - y,
  }
}

function isInside(
  point: { x: number; y: number },
  view: { x: number; y: number; zoom: number },
  frame: HTMLElement,
  { width, height }: LayoutOptions,
): boolean {
  const left = point.x * view.zoom + view.x
  const top = point.y * view.zoom + view.y
  return (
    left >= 0 &&
    top >= 0 &&
    left + width * view.zoom <= frame.clientWidth &&
    top + height * view.zoom <= frame.clientHeight
  )
}
