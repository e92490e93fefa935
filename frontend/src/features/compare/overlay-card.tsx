import type { Edge, EdgeProps, Node, NodeProps } from '@xyflow/react'
import { memo } from 'react'

import { cx } from '@/components/cx'
import { FamilyTile } from '@/components/run/agent-look'
import { useCanvas } from '@/components/run/canvas/canvas-context'
import { frameAt } from '@/components/run/canvas/flow-types'
import { FarLabel, NodeFrame, useIsFar } from '@/components/run/canvas/node-frame'
import { layoutFor } from '@/components/run/run-store'
import type { Direction, Positions } from '@/graph/layout'
import { isSaidOtherwise, type Overlay, type OverlayEdge, type OverlayNode } from '@/graph/overlay'
import { Router } from '@/graph/route'
import type { AgentView } from '@/graph/run-view'
import { tokensOf } from '@/graph/totals'
import { formatCount, formatSeconds } from '@/lib/format'
import { text } from '@/strings/compare'

import { sideText } from './sentence'
import { BORDERS, DASHES, INKS, STROKES } from './side-look'

/** An agent of either run or of both. */
export const OverlayCardView = memo(function OverlayCardView({ id, data }: NodeProps<OverlayCard>) {
  const { node, sentence } = data
  const far = useIsFar()
  const family = (node.left ?? node.right)?.family ?? null
  return (
    <NodeFrame id={id} label={sentence} fresh={false} className={BORDERS[node.side]}>
      {far ? (
        <FarLabel
          name={node.name}
          icon={(scale) => <FamilyTile family={family} size={30 * scale} />}
        />
      ) : (
        <Near node={node} family={family} />
      )}
    </NodeFrame>
  )
})

function Near({ node, family }: Readonly<{ node: OverlayNode; family: string | null }>) {
  return (
    <span className="flex size-full flex-col gap-1 p-2.5 text-xs">
      <span className="flex items-center gap-2">
        <FamilyTile family={family} size={22} />
        <span className="min-w-0 flex-1 truncate text-sm font-semibold">{node.name}</span>
      </span>
      <span className={cx('flex-1', isSaidOtherwise(node) ? 'text-warn' : INKS[node.side])}>
        {sideText(node)}
      </span>
      <Took name={text.left} agent={node.left} />
      <Took name={text.right} agent={node.right} />
    </span>
  )
}

function Took({ name, agent }: Readonly<{ name: string; agent: AgentView | null }>) {
  if (!agent) return null
  return (
    <span className="flex justify-between gap-2 text-ink-3">
      <span>{name}</span>
      <span className="truncate">
        {text.card(formatCount(tokensOf(agent.usage)), formatSeconds(agent.seconds))}
      </span>
    </span>
  )
}

export const OverlayLineView = memo(function OverlayLineView(props: EdgeProps<OverlayLine>) {
  const { source, target, data } = props
  const { selected } = useCanvas()
  if (!data) return null
  const touched = selected === source || selected === target
  return (
    <path
      d={data.path}
      fill="none"
      strokeWidth={touched ? 3 : 1.5}
      strokeDasharray={data.side === 'both' ? undefined : DASHES}
      className={STROKES[data.side]}
    />
  )
})

interface CardData extends Record<string, unknown> {
  readonly node: OverlayNode
  readonly sentence: string
}
type OverlayCard = Node<CardData, 'agent'>

type OverlayLine = Edge<
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
