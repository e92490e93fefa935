/** What React Flow is given. A node carries only its id and looks the rest up, so that text streaming in redraws one card. */
import { Position, type Edge, type Node, type NodeHandle } from '@xyflow/react'

import { layoutFor } from '@/components/run/run-store'
import type { Direction, Positions } from '@/graph/layout'
import { edgeRoute } from '@/graph/route'
import type { Shape, ShapeEdge } from '@/graph/shape'

export type CardNode = Node<{ readonly fresh: boolean }, 'query' | 'agent' | 'answer'>

type Route = NonNullable<ReturnType<typeof edgeRoute>>

export type MessageEdge = Edge<
  { readonly edge: ShapeEdge; readonly fresh: boolean; readonly route: Route },
  'message'
>

export interface Drawing {
  readonly shape: Shape
  readonly positions: Positions
  readonly direction: Direction
  readonly showRemoved: boolean
  /** Decided while the canvas is open, so that it enters. */
  readonly isFresh: (id: string) => boolean
}

export function flowNodes({
  shape,
  positions,
  direction,
  showRemoved,
  isFresh,
}: Drawing): CardNode[] {
  const { width, height } = layoutFor(direction)
  return shape.nodes.flatMap(({ id, kind, agent }) => {
    const position = positions.get(id)
    if (!position) return []
    const gone = agent?.status === 'removed' && !showRemoved
    return {
      id,
      type: kind,
      position,
      width,
      height,
      measured: { width, height },
      handles: handlesOf(direction, width, height),
      data: { fresh: isFresh(id) },
      className: gone ? 'agent-gone' : '',
      draggable: !gone,
    }
  })
}

/** Given, not measured: edges are right in the first frame. */
function handlesOf(direction: Direction, width: number, height: number): NodeHandle[] {
  const right = direction === 'right'
  const size = { width: 1, height: 1 }
  return [
    right
      ? { ...size, type: 'target', position: Position.Left, x: 0, y: height / 2 }
      : { ...size, type: 'target', position: Position.Top, x: width / 2, y: 0 },
    right
      ? { ...size, type: 'source', position: Position.Right, x: width, y: height / 2 }
      : { ...size, type: 'source', position: Position.Bottom, x: width / 2, y: height },
  ]
}

export function flowEdges(drawing: Drawing, nameOf: (id: string) => string): MessageEdge[] {
  const { shape, positions, direction, showRemoved, isFresh } = drawing
  const gone = new Set(
    shape.nodes.filter((node) => node.agent?.status === 'removed').map((node) => node.id),
  )
  const standing = new Map([...positions].filter(([id]) => showRemoved || !gone.has(id)))
  return shape.edges.flatMap((edge) => {
    const around = edge.removed ? positions : standing
    const route = edgeRoute(edge.source, edge.target, around, layoutFor(direction))
    if (!route) return []
    return {
      id: edge.id,
      type: 'message' as const,
      source: edge.source,
      target: edge.target,
      className: edge.removed && !showRemoved ? 'edge-gone' : '',
      ariaLabel: `${nameOf(edge.source)} → ${nameOf(edge.target)}`,
      data: { edge, fresh: isFresh(edge.id), route },
    }
  })
}
