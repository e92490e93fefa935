import { getBezierPath, Position } from '@xyflow/react'
import { useMemo } from 'react'

import { cx } from '@/components/cx'
import { FamilyTile } from '@/components/run/agent-look'
import { ScrollRegion } from '@/components/scroll-region'
import { DEFAULT_LAYOUT, tidy, type Point } from '@/graph/layout'
import type { Overlay, OverlayEdge, OverlayNode, Side } from '@/graph/overlay'

import { text } from './compare-strings'

const SIZE = { ...DEFAULT_LAYOUT, width: 188, height: 72 }
const MARGIN = 20

const EDGES: Readonly<Record<Side, string>> = {
  both: 'stroke-line-strong',
  left: 'stroke-bad',
  right: 'stroke-good',
}
const CARDS: Readonly<Record<Side, string>> = {
  both: 'border-line-strong/50',
  left: 'border-bad border-dashed',
  right: 'border-good border-dashed',
}
const LABELS: Readonly<Record<Side, string>> = {
  both: 'text-ink-3',
  left: 'text-bad',
  right: 'text-good',
}

interface Props {
  overlay: Overlay
  chosen: string | null
  onChoose: (id: string) => void
}

/** Both graphs in one: what only one side has is dashed, in that side's colour, and says so. */
export function OverlayGraph({ overlay, chosen, onChoose }: Readonly<Props>) {
  const places = useMemo(() => tidy(overlay.nodes, SIZE), [overlay])
  if (overlay.nodes.length === 0) return <p className="p-4 text-ink-2">{text.noGraph}</p>
  const points = [...places.values()]
  const [left, top] = [Math.min(...points.map(({ x }) => x)), Math.min(...points.map(({ y }) => y))]
  const at = (id: string): Point => {
    const { x, y } = places.get(id) ?? { x: left, y: top }
    return { x: x - left + MARGIN, y: y - top + MARGIN }
  }
  const width = Math.max(...points.map(({ x }) => x - left)) + SIZE.width + 2 * MARGIN
  const height = Math.max(...points.map(({ y }) => y - top)) + SIZE.height + 2 * MARGIN
  return (
    <>
      <Legend />
      <ScrollRegion label={text.graph} className="overflow-auto">
        <div className="relative mx-auto" style={{ width, height }}>
          <svg aria-hidden width={width} height={height} className="absolute inset-0">
            {overlay.edges.map((edge) => (
              <Line key={edge.id} edge={edge} from={at(edge.source)} to={at(edge.target)} />
            ))}
          </svg>
          {overlay.nodes.map((node) => (
            <NodeCard
              key={node.id}
              node={node}
              at={at(node.id)}
              isChosen={node.id === chosen}
              onChoose={() => onChoose(node.id)}
            />
          ))}
        </div>
      </ScrollRegion>
    </>
  )
}

function Legend() {
  return (
    <p className="flex flex-wrap gap-x-4 px-4 pt-3 text-xs">
      {(['both', 'left', 'right'] as const).map((side) => (
        <span key={side} className={cx('flex items-center gap-1.5', LABELS[side])}>
          <svg aria-hidden width={20} height={4}>
            <line
              x2={20}
              y1={2}
              y2={2}
              strokeWidth={2}
              strokeDasharray={side === 'both' ? undefined : '5 3'}
              className={EDGES[side]}
            />
          </svg>
          {text.sides[side]}
        </span>
      ))}
    </p>
  )
}

function Line({ edge, from, to }: Readonly<{ edge: OverlayEdge; from: Point; to: Point }>) {
  const [path] = getBezierPath({
    sourceX: from.x + SIZE.width,
    sourceY: from.y + SIZE.height / 2,
    targetX: to.x,
    targetY: to.y + SIZE.height / 2,
    sourcePosition: Position.Right,
    targetPosition: Position.Left,
  })
  return (
    <path
      d={path}
      fill="none"
      strokeWidth={1.5}
      strokeDasharray={edge.side === 'both' ? undefined : '5 3'}
      className={EDGES[edge.side]}
    />
  )
}

interface CardProps {
  node: OverlayNode
  at: Point
  isChosen: boolean
  onChoose: () => void
}

function NodeCard({ node, at, isChosen, onChoose }: Readonly<CardProps>) {
  const { left, right, side, name } = node
  const differs = side === 'both' && left?.message !== right?.message
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      style={{ left: at.x, top: at.y, width: SIZE.width, height: SIZE.height }}
      className={cx(
        'absolute flex cursor-pointer flex-col justify-center gap-1 rounded-lg border bg-surface-1 px-2.5 text-left',
        isChosen ? 'border-accent ring-2 ring-accent' : CARDS[side],
      )}
    >
      <span className="flex items-center gap-2">
        <FamilyTile family={(left ?? right)?.family ?? null} size={22} />
        <span className="min-w-0 flex-1 truncate text-sm font-semibold">{name}</span>
      </span>
      <span className={cx('truncate text-xs', differs ? 'text-warn' : LABELS[side])}>
        {text.sides[side]}
        {differs ? text.differs : ''}
      </span>
    </button>
  )
}
