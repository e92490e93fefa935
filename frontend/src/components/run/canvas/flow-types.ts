/** What React Flow is given. A node carries only its id and looks the rest up, so that text streaming in redraws one card. */
import { Position, type Edge, type Node, type NodeHandle } from '@xyflow/react'

import { layoutFor } from '@/components/run/run-store'
import type { Direction, LayoutOptions, Point, Positions } from '@/graph/layout'
import { Router, type Route } from '@/graph/route'
import type { Shape, ShapeEdge } from '@/graph/shape'
import { text } from '@/strings/run'

export type CardNode = Node<{ readonly fresh: boolean }, 'query' | 'agent' | 'answer'>

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

/** By the place where it stands, the card that was drawn there last: one that has not changed is given
 * to React Flow as it was, and not drawn anew. */
const cards = new WeakMap<Point, CardNode>()

export function flowNodes({
  shape,
  positions,
  direction,
  showRemoved,
  isFresh,
}: Drawing): CardNode[] {
  const layout = layoutFor(direction)
  const { width } = layout
  return shape.nodes.flatMap(({ id, kind, agent }) => {
    const position = positions.get(id)
    if (!position) return []
    const gone = agent?.status === 'removed' && !showRemoved
    const fresh = isFresh(id)
    const known = cards.get(position)
    if (
      known?.id === id &&
      known.draggable === !gone &&
      known.data.fresh === fresh &&
      known.width === width &&
      known.handles?.[0]?.position === inputSide(direction)
    )
      return known
    const card: CardNode = {
      ...frameAt(id, position, layout),
      type: kind,
      data: { fresh },
      className: gone ? 'agent-gone' : '',
      draggable: !gone,
    }
    cards.set(position, card)
    return card
  })
}

const inputSide = (direction: Direction): Position =>
  direction === 'right' ? Position.Left : Position.Top

/** A card's frame. Its size is given, not measured: edges are right in the first frame. */
export function frameAt(id: string, position: Point, layout: LayoutOptions) {
  const { direction, width, height } = layout
  const handles = handlesOf(direction, width, height)
  return { id, position, width, height, measured: { width, height }, handles }
}

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
  const aroundAll = routerFor(positions, NOBODY, direction)
  const aroundPresent = showRemoved ? aroundAll : routerFor(positions, gone, direction)
  return shape.edges.flatMap((edge) => {
    const router = edge.removed ? aroundAll : aroundPresent
    const back = edge.kind === 'back'
    const route = back
      ? router.back(edge.source, edge.target)
      : router.route(edge.source, edge.target)
    if (!route) return []
    const fresh = isFresh(edge.id)
    const className = edge.removed && !showRemoved ? 'edge-gone' : ''
    const names = [nameOf(edge.source), nameOf(edge.target)] as const
    const ariaLabel = back ? text.canvas.sentBack(...names) : names.join(' → ')
    const known = lines.get(route)
    if (
      known?.className === className &&
      known.ariaLabel === ariaLabel &&
      known.data?.fresh === fresh &&
      isSameEdge(known.data.edge, edge)
    )
      return known
    const line: MessageEdge = {
      id: edge.id,
      type: 'message',
      source: edge.source,
      target: edge.target,
      className,
      ariaLabel,
      data: { edge, fresh, route },
    }
    lines.set(route, line)
    return line
  })
}

const NOBODY: ReadonlySet<string> = new Set()
/** As `cards`, for edges. */
const lines = new WeakMap<Route, MessageEdge>()
const routers = new WeakMap<Positions, Map<string, Router>>()

/** The ways around everybody who stands there but for those who are left out. */
function routerFor(
  positions: Positions,
  leftOut: ReadonlySet<string>,
  direction: Direction,
): Router {
  const known = routers.get(positions) ?? new Map<string, Router>()
  routers.set(positions, known)
  const key = [direction, ...leftOut].join(' ')
  const standing = (): Positions => new Map([...positions].filter(([id]) => !leftOut.has(id)))
  const router = known.get(key) ?? new Router(standing(), layoutFor(direction))
  known.set(key, router)
  return router
}

const isSameEdge = (a: ShapeEdge, b: ShapeEdge): boolean =>
  a.id === b.id &&
  a.kind === b.kind &&
  a.probability === b.probability &&
  a.active === b.active &&
  a.removed === b.removed
