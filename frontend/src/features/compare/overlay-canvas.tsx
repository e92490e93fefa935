import { useCallback, useMemo, useState } from 'react'

import { cx } from '@/components/cx'
import { CanvasStage } from '@/components/run/canvas/canvas-stage'
import { layoutFor } from '@/components/run/run-store'
import { text as runText } from '@/strings/run'
import { directionFor, NOWHERE, place, type Direction, type Tidy } from '@/graph/layout'
import type { Overlay } from '@/graph/overlay'
import { familyOf } from '@/lib/families'
import { useWide } from '@/lib/use-wide'

import { text } from '@/strings/compare'
import {
  OverlayCardView,
  OverlayLineView,
  cardsOf,
  overlayCards,
  overlayLines,
} from './overlay-card'
import { sentencesOf } from './sentence'
import { DASHES, INKS, STROKES } from './side-look'

const NODE_TYPES = { agent: OverlayCardView }
const EDGE_TYPES = { line: OverlayLineView }

interface Props {
  overlay: Overlay
  selected: string | null
  onSelect: (id: string | null) => void
}

/** Both graphs in one: what only one side has is dashed, in that side's colour, and says so. */
export function OverlayCanvas(props: Readonly<Props>) {
  const { nodes } = props.overlay
  const wide = useWide()
  const [abreast] = useState(() => nodes.filter(({ reads }) => reads.length === 0).length)
  const direction = directionFor(abreast, !wide)
  return (
    <div className="flex size-full flex-col">
      <Legend />
      <div className="min-h-0 flex-1">
        <Graph key={direction} direction={direction} {...props} />
      </div>
    </div>
  )
}

function Graph(props: Readonly<Props & { direction: Direction }>) {
  const { overlay, direction, selected, onSelect } = props
  const { positions, move, tidyUp } = usePlaces(overlay, direction)
  const cards = useMemo(() => cardsOf(overlay, sentencesOf(overlay)), [overlay])
  const nodes = useMemo(
    () => overlayCards(cards, positions, direction),
    [cards, positions, direction],
  )
  const edges = useMemo(
    () => overlayLines(overlay, positions, direction),
    [overlay, positions, direction],
  )
  const colorOf = useCallback(
    (id: string) => {
      const node = cards.get(id)?.node
      return familyOf((node?.left ?? node?.right)?.family).line
    },
    [cards],
  )
  return (
    <CanvasStage
      label={text.graph}
      help={`${runText.canvas.help} ${text.legend}`}
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      edgeTypes={EDGE_TYPES}
      positions={positions}
      direction={direction}
      colorOf={colorOf}
      selected={selected}
      onSelect={onSelect}
      onMove={move}
      onTidy={tidyUp}
    />
  )
}

/** As on the page of a run: what has been placed stays, and all is laid out anew only when asked. */
function usePlaces({ nodes }: Overlay, direction: Direction) {
  const [kept, setKept] = useState(NOWHERE)
  const positions = useMemo(
    () => place(nodes, kept, layoutFor(direction)),
    [nodes, kept, direction],
  )
  if (positions !== kept) setKept(positions)
  return {
    positions,
    move: useCallback(
      (id: string, point: { x: number; y: number }) =>
        setKept((known) => new Map(known).set(id, point)),
      [],
    ),
    tidyUp: (tidy: Tidy) => setKept(tidy(nodes, layoutFor(direction))),
  }
}

function Legend() {
  return (
    <p className="flex flex-wrap gap-x-4 border-b border-line px-4 py-2 text-xs">
      {(['both', 'left', 'right'] as const).map((side) => (
        <span key={side} className={cx('flex items-center gap-1.5', INKS[side])}>
          <svg aria-hidden width={20} height={4}>
            <line
              x2={20}
              y1={2}
              y2={2}
              strokeWidth={2}
              strokeDasharray={side === 'both' ? undefined : DASHES}
              className={STROKES[side]}
            />
          </svg>
          {text.sides[side]}
        </span>
      ))}
    </p>
  )
}
