import { Trash2 } from 'lucide-react'
import { use, useCallback, useMemo, useState } from 'react'

import { Button } from '@/components/button'
import { RunContext, useRun } from '@/components/run/run-context'
import { idsOf } from '@/components/run/run-store'
import { text } from '@/strings/run'
import { useAgentNames } from '@/components/run/use-agents'
import { ANSWER_ID, QUERY_ID } from '@/graph/shape'
import { familyOf } from '@/lib/families'

import { AgentNode } from './agent-node'
import { CanvasStage } from './canvas-stage'
import { AnswerNode, QueryNode } from './end-nodes'
import { flowEdges, flowNodes, type Drawing } from './flow-types'
import { MessageEdgeLine } from './message-edge'

const NODE_TYPES = { query: QueryNode, agent: AgentNode, answer: AnswerNode }
const EDGE_TYPES = { message: MessageEdgeLine }

interface Props {
  selected: string | null
  onSelect: (id: string | null) => void
}

/** The graph as it is decided and as it works. */
export function GraphCanvas({ selected, onSelect }: Readonly<Props>) {
  const store = use(RunContext)
  const shape = useRun((state) => state.shape)
  const positions = useRun((state) => state.positions)
  const direction = useRun((state) => state.direction)
  const moveNode = useRun((state) => state.moveNode)
  const tidyUp = useRun((state) => state.tidyUp)
  const nameOf = useAgentNames()
  const [showRemoved, setShowRemoved] = useState(false)
  const known = useRun((state) => state.known)
  const [there] = useState(() => (store ? idsOf(store.getState().shape) : new Set<string>()))

  const drawing = useMemo<Drawing>(
    () => ({
      shape,
      positions,
      direction,
      showRemoved,
      isFresh: (id) => !known.has(id) && !there.has(id),
    }),
    [shape, positions, direction, showRemoved, known, there],
  )
  const nodes = useMemo(() => flowNodes(drawing), [drawing])
  const edges = useMemo(() => flowEdges(drawing, nameOf), [drawing, nameOf])
  const active = shape.nodes.filter((node) => node.agent?.status === 'active').map(({ id }) => id)
  const removed = shape.nodes.filter((node) => node.agent?.status === 'removed').length
  const lookingBack = useRun((state) => state.moment !== null)
  const families = useMemo(
    () => new Map(shape.nodes.map(({ id, agent }) => [id, agent?.family])),
    [shape],
  )
  const colorOf = useCallback((id: string) => familyOf(families.get(id)).line, [families])

  return (
    <div data-tour="graph" className="size-full min-h-0">
      <CanvasStage
        label={text.canvas.label}
        help={`${text.canvas.help} ${text.canvas.legend}`}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        positions={positions}
        direction={direction}
        colorOf={colorOf}
        selected={selected}
        onSelect={(id) => {
          if (id !== QUERY_ID && id !== ANSWER_ID) onSelect(id)
        }}
        onMove={moveNode}
        onTidy={tidyUp}
        active={active}
        known={known}
        lookingBack={lookingBack}
        tools={
          removed > 0 ? (
            <Button
              size="sm"
              aria-pressed={showRemoved}
              onPress={() => setShowRemoved(!showRemoved)}
              icon={Trash2}
              className={showRemoved ? 'border-accent text-accent' : ''}
            >
              {text.canvas.removed(removed)}
            </Button>
          ) : null
        }
      />
    </div>
  )
}
