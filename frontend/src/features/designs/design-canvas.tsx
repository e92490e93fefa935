import '@xyflow/react/dist/base.css'
import '@/components/run/canvas/canvas.css'
import './designer.css'

import {
  Background,
  BackgroundVariant,
  MiniMap,
  ReactFlow,
  SelectionMode,
  useReactFlow,
  type EdgeChange,
  type NodeChange,
} from '@xyflow/react'
import { useMemo, useState, type DragEvent } from 'react'

import type { Point } from '@/graph/layout'
import { familyOf } from '@/lib/families'

import { namesOf } from './agent-names'
import { CanvasTools } from './canvas-tools'
import { DesignEdge } from './design-edge'
import { DesignNode } from './design-node'
import { createFlow, type DesignEdgeType, type DesignNodeType } from './design-nodes'
import { useDesign, useDesignStore, useSpec } from './design-store'
import { text } from './design-strings'
import { ROLE_TYPE, roleOfDrag } from './drag-role'
import {
  addAgent,
  cardSize,
  connect,
  moveAgents,
  readsOf,
  type DesignSpec,
  type Edge,
} from './edits'
import type { DesignProblem } from './use-designs'
import { problemsOf, useProblems } from './use-problems'

const NODE_TYPES = { agent: DesignNode }
const EDGE_TYPES = { reads: DesignEdge }
const MINIMAP_FROM = 13

/** The graph that is drawn. What is done here is done to the design's store; React Flow only shows it. */
export function DesignCanvas({ readOnly }: Readonly<{ readOnly: boolean }>) {
  const spec = useSpec()
  const selection = useDesign((state) => state.selection)
  const store = useDesignStore()
  const { edit, select } = store.getState()
  const flow = useReactFlow()
  const problems = useProblems()
  const [build] = useState(() => createFlow(cardSize))
  const cyclic = useMemo(
    () => new Set(problems.flatMap((p) => (p.code === 'cycle' && p.agent_id ? p.agent_id : []))),
    [problems],
  )
  const nodes = useMemo(() => {
    const labelOf = labels(spec, problems)
    return build.nodes(spec, selection.agents, labelOf)
  }, [build, problems, spec, selection.agents])
  const edges = useMemo(
    () => build.edges(spec, selection.edges, cyclic, edgeLabels(spec)),
    [build, spec, selection.edges, cyclic],
  )

  const onNodesChange = (changes: NodeChange<DesignNodeType>[]): void => {
    const points = new Map<string, Point>()
    const { selection: before } = store.getState()
    const chosen = new Set(before.agents)
    for (const change of changes) {
      if (change.type === 'position' && change.position)
        points.set(change.id, round(change.position))
      if (change.type === 'select') {
        if (change.selected) chosen.add(change.id)
        else chosen.delete(change.id)
      }
    }
    if (points.size > 0)
      edit((design) => moveAgents(design, points), `move ${[...points.keys()].join(' ')}`)
    if (changes.some(({ type }) => type === 'select'))
      select({ agents: chosen, edges: before.edges })
  }
  const onEdgesChange = (changes: EdgeChange<DesignEdgeType>[]): void => {
    const { selection: before } = store.getState()
    const chosen = new Set(before.edges)
    for (const change of changes) {
      if (change.type !== 'select') continue
      if (change.selected) chosen.add(change.id)
      else chosen.delete(change.id)
    }
    if (changes.some(({ type }) => type === 'select'))
      select({ agents: before.agents, edges: chosen })
  }
  const onDrop = (event: DragEvent): void => {
    const role = roleOfDrag(event.dataTransfer)
    if (!role) return
    event.preventDefault()
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY })
    const corner = round({ x: x - cardSize.width / 2, y: y - cardSize.height / 2 })
    const [next, id] = addAgent(store.getState().history.present.spec, role, corner)
    edit(() => next)
    select({ agents: new Set([id]) })
  }

  return (
    <section aria-label={text.canvas.label} className="design-canvas relative size-full min-h-0">
      <p className="sr-only">{text.canvas.help}</p>
      <ReactFlow<DesignNodeType, DesignEdgeType>
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onDragOver={(event) => {
          if (event.dataTransfer.types.includes(ROLE_TYPE)) event.preventDefault()
        }}
        onDrop={onDrop}
        onConnect={(edge) => edit((design) => connect(design, edge))}
        connectionRadius={28}
        nodesDraggable={!readOnly}
        nodesConnectable={!readOnly}
        deleteKeyCode={null}
        selectionMode={SelectionMode.Partial}
        multiSelectionKeyCode={['Shift', 'Control', 'Meta']}
        snapToGrid
        snapGrid={[4, 4]}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.15 }}
        minZoom={0.1}
        maxZoom={1.75}
        attributionPosition="top-right"
      >
        <Background variant={BackgroundVariant.Dots} gap={20} size={1} />
        {spec.agents.length >= MINIMAP_FROM ? (
          <MiniMap<DesignNodeType>
            pannable
            ariaLabel={null}
            position="bottom-left"
            style={{ width: 150, height: 104 }}
            nodeColor={({ data }) => familyOf(data.agent.role.family).line}
          />
        ) : null}
      </ReactFlow>
      {spec.agents.length === 0 ? (
        <p className="pointer-events-none absolute inset-0 grid place-items-center px-6 text-center text-ink-3">
          {text.canvas.empty}
        </p>
      ) : null}
      <CanvasTools readOnly={readOnly} />
    </section>
  )
}

const round = ({ x, y }: Point): Point => ({ x: Math.round(x), y: Math.round(y) })

function edgeLabels(spec: DesignSpec): (edge: Edge) => string {
  const nameOf = namesOf(spec)
  return ({ source, target }) => text.canvas.edge(nameOf(target), nameOf(source))
}

/** What a screen reader says of an agent: its name, whom it reads, and how much is wrong with it. */
function labels(spec: DesignSpec, problems: readonly DesignProblem[]): (id: string) => string {
  const nameOf = namesOf(spec)
  return (id) => {
    const reads = readsOf(spec, id).map(nameOf)
    const wrong = problemsOf(problems, id).map(({ message }) => message)
    return text.canvas.agent(
      nameOf(id),
      reads.length > 0 ? text.canvas.reads(reads.join(', ')) : text.canvas.readsNobody,
      wrong.join(' '),
    )
  }
}
