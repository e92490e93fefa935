import '@xyflow/react/dist/base.css'
import './canvas.css'

import {
  Background,
  BackgroundVariant,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  type NodeChange,
} from '@xyflow/react'
import { use, useCallback, useEffect, useMemo, useRef, useState } from 'react'

import { RunContext, useRun } from '@/components/run/run-context'
import { idsOf } from '@/components/run/run-store'
import { text } from '@/components/run/run-strings'
import { useAgentNames } from '@/components/run/use-agents'
import { headingOf, neighbour } from '@/graph/navigation'
import { ANSWER_ID, QUERY_ID } from '@/graph/shape'
import { familyOf } from '@/lib/families'

import { AgentNode } from './agent-node'
import { CanvasContext } from './canvas-context'
import { CanvasControls } from './canvas-controls'
import { AnswerNode, QueryNode } from './end-nodes'
import { flowEdges, flowNodes, type CardNode, type Drawing } from './flow-types'
import { MessageEdgeLine } from './message-edge'
import { useCamera } from './use-camera'

const NODE_TYPES = { query: QueryNode, agent: AgentNode, answer: AnswerNode }
const EDGE_TYPES = { message: MessageEdgeLine }
const MINIMAP_FROM = 13

interface Props {
  selected: string | null
  onSelect: (id: string | null) => void
}

/** The graph as it is decided and as it works. */
export function GraphCanvas(props: Readonly<Props>) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  )
}

function Canvas({ selected, onSelect }: Readonly<Props>) {
  const store = use(RunContext)
  const shape = useRun((state) => state.shape)
  const positions = useRun((state) => state.positions)
  const direction = useRun((state) => state.direction)
  const moveNode = useRun((state) => state.moveNode)
  const tidyUp = useRun((state) => state.tidyUp)
  const nameOf = useAgentNames()
  const [showRemoved, setShowRemoved] = useState(false)
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  const [walked, setWalked] = useState<string | null>(null)
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
  const visible = useMemo(
    () => nodes.filter((node) => node.className === '').map((node) => node.id),
    [nodes],
  )
  const active = shape.nodes.filter((node) => node.agent?.status === 'active').map(({ id }) => id)
  const removed = shape.nodes.filter((node) => node.agent?.status === 'removed').length
  const lookingBack = useRun((state) => state.moment !== null)
  const scene = { positions, visible, active, direction, frame, known, lookingBack }
  const camera = useCamera(scene)

  const onNodesChange = useCallback(
    (changes: NodeChange<CardNode>[]) => {
      for (const change of changes) {
        if (change.type !== 'position' || !change.position) continue
        moveNode(change.id, change.position)
      }
    },
    [moveNode],
  )
  const { release, show } = camera
  const open = (id: string): void => {
    setWalked(id)
    if (id !== QUERY_ID && id !== ANSWER_ID) onSelect(id === selected ? null : id)
  }
  const walk = (from: string, key: string): boolean => {
    if (key === 'Escape') onSelect(null)
    const heading = headingOf(key)
    if (!heading) return false
    const reachable = new Map([...positions].filter(([id]) => visible.includes(id)))
    const next = neighbour(reachable, from, heading)
    if (next) {
      setWalked(next)
      show(next)
      frame?.querySelector<HTMLElement>(`[data-node="${CSS.escape(next)}"]`)?.focus()
    }
    return true
  }
  // Every card and every edge reads the context: it must not change with all that these look at.
  const now = useRef({ open, walk })
  useEffect(() => {
    now.current = { open, walk }
  })
  const tabStop = [walked, selected].find((id) => id && visible.includes(id)) ?? QUERY_ID
  const actions = useMemo(
    () => ({
      selected,
      tabStop,
      direction,
      open: (id: string) => now.current.open(id),
      walk: (from: string, key: string) => now.current.walk(from, key),
    }),
    [direction, selected, tabStop],
  )
  const families = useMemo(
    () => new Map(shape.nodes.map(({ id, agent }) => [id, agent?.family])),
    [shape],
  )

  return (
    <section
      ref={setFrame}
      aria-label={text.canvas.label}
      data-tour="graph"
      className="relative size-full min-h-0"
    >
      <p className="sr-only">{`${text.canvas.help} ${text.canvas.legend}`}</p>
      <CanvasContext value={actions}>
        <ReactFlow<CardNode, ReturnType<typeof flowEdges>[number]>
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          onNodesChange={onNodesChange}
          onNodeDragStart={release}
          onMoveStart={(event) => {
            if (event) release()
          }}
          onPaneClick={() => onSelect(null)}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          nodeDragThreshold={4}
          minZoom={0.1}
          maxZoom={1.75}
          attributionPosition="top-right"
        >
          <Background variant={BackgroundVariant.Dots} gap={20} size={1} />
          {visible.length >= MINIMAP_FROM ? (
            <MiniMap
              pannable
              ariaLabel={null}
              position="bottom-left"
              style={{ width: 150, height: 104 }}
              nodeColor={({ id }) => familyOf(families.get(id)).line}
            />
          ) : null}
        </ReactFlow>
      </CanvasContext>
      <CanvasControls
        camera={camera}
        removed={removed}
        showRemoved={showRemoved}
        onShowRemoved={setShowRemoved}
        onTidy={() => {
          tidyUp()
          camera.fit()
        }}
      />
    </section>
  )
}
