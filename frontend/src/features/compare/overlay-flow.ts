/** What React Flow is given of two graphs laid over each other. */
import type { Edge, Node } from '@xyflow/react'

import { frameAt } from '@/components/run/canvas/flow-types'
import { layoutFor } from '@/components/run/run-store'
import type { Direction, Positions } from '@/graph/layout'
import type { Overlay, OverlayEdge, OverlayNode } from '@/graph/overlay'
import { Router } from '@/graph/route'

import { text } from '@/strings/compare'

export interface CardData extends Record<string, unknown> {
  readonly node: OverlayNode
  readonly sentence: string
}
export type OverlayCard = Node<CardData, 'agent'>

export type OverlayLine = Edge<
  Readonly<{ side: OverlayEdge['side']; path: string }> & Record<string, unknown>,
  'line'
>

/** The same objects while the overlay is the same: who drags one card does not draw all anew. */
export function cardsOf({ nodes }: Overlay, sentenceOf: (node: OverlayNode) => string) {
  return new Map(
    nodes.map((node): [string, CardData] => [node.id, { node, sentence: sentenceOf(node) }]),
  )
}

export const overlayCards = (
  cards: ReadonlyMap<string, CardData>,
  positions: Positions,
  direction: Direction,
): OverlayCard[] =>
  [...cards].flatMap(([id, data]): OverlayCard[] => {
    const position = positions.get(id)
    return position ? [{ ...frameAt(id, position, layoutFor(direction)), type: 'agent', data }] : []
  })

export function overlayLines(
  { nodes, edges }: Overlay,
  positions: Positions,
  direction: Direction,
): OverlayLine[] {
  const names = new Map(nodes.map(({ id, name }) => [id, name]))
  const router = new Router(positions, layoutFor(direction))
  return edges.flatMap(({ id, source, target, side }): OverlayLine[] => {
    const path = router.route(source, target)?.path
    if (path === undefined) return []
    const ariaLabel = `${names.get(source) ?? source} → ${names.get(target) ?? target}, ${text.sides[side]}`
    return [{ id, source, target, type: 'line', ariaLabel, data: { side, path } }]
  })
}
