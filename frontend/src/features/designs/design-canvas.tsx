import {
  Background,
  BackgroundVariant,
  MiniMap,
  ReactFlow,
  SelectionMode,
  useStore,
} from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { Maximize, Minus, Network, Plus, Redo2, Undo2 } from 'lucide-react'
import { useCallback, useMemo, useState, type CSSProperties } from 'react'

import { Button } from '@/components/button'
import '@/components/run/canvas/canvas.css'
import { TipButton } from '@/components/tooltip'
import { familyOf } from '@/lib/families'
import { text } from '@/strings/designs'

import {
  agentLabels,
  edgeLabels,
  createFlow,
  type DesignEdgeType,
  type DesignNodeType,
} from './design-nodes'
import { useChecker } from './checker-context'
import { DesignEdge } from './design-edge'
import { DesignNode } from './design-node'
import { useDesign, useDesignStore, useSpec } from './design-store'
import './designer.css'
import { cardSize } from './edits'
import { ghostOf } from './ghost'
import { GhostNode } from './ghost-node'
import { useCanvasEdits } from './use-canvas-edits'
import { useViews } from './use-views'
import { handleSize, leastZoom, openingView, type View } from './views'

// Each the same object for ever: React Flow tells every card and edge of one that is new.
const NODE_TYPES = { agent: DesignNode, ghost: GhostNode }
const EDGE_TYPES = { reads: DesignEdge }
const MULTI_SELECTION = ['Shift', 'Control', 'Meta']
const GRID: [number, number] = [4, 4]
const MAP_SIZE = { width: 150, height: 104 }
const MINIMAP_FROM = 13

const mapColor = (node: DesignNodeType): string =>
  node.type === 'agent' ? familyOf(node.data.agent.role.family).line : 'var(--line)'

/** The graph that is drawn. What is done here is done to the design's store; React Flow only shows it. */
export function DesignCanvas({ readOnly }: Readonly<{ readOnly: boolean }>) {
  const [view, setView] = useState<View | null>(null)
  const store = useDesignStore()
  const isEmpty = useSpec().agents.length === 0
  const handles = useStore(({ transform }) => handleSize(transform[2]))
  const measure = useCallback(
    (frame: HTMLElement | null) => {
      if (!frame) return
      const { spec } = store.getState().history.present
      const ghost = ghostOf(spec)
      const cards = spec.agents.map(({ x, y }) => ({ x: x ?? 0, y: y ?? 0 }))
      const places = ghost ? [...cards, ghost.place] : cards
      const { clientWidth: width, clientHeight: height } = frame
      setView((known) => known ?? openingView(places, { width, height }))
    },
    [store],
  )
  return (
    <section
      ref={measure}
      aria-label={text.canvas.label}
      className="design-canvas relative size-full min-h-0"
      style={{ '--handle-size': `${handles}px` } as CSSProperties}
    >
      <p className="sr-only">{text.canvas.help}</p>
      {view ? <Graph opening={view} readOnly={readOnly} /> : null}
      {isEmpty ? (
        <p className="pointer-events-none absolute inset-0 grid place-items-center px-6 text-center text-ink-3">
          {text.canvas.empty}
        </p>
      ) : null}
      <CanvasTools readOnly={readOnly} />
    </section>
  )
}

function Graph({ opening, readOnly }: Readonly<{ opening: View; readOnly: boolean }>) {
  const { nodes, edges } = useDrawn()
  const edits = useCanvasEdits()
  const least = useMemo(() => leastZoom(nodes.map(({ position }) => position)), [nodes])
  return (
    <ReactFlow<DesignNodeType, DesignEdgeType>
      {...edits}
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      edgeTypes={EDGE_TYPES}
      connectionRadius={28}
      nodesDraggable={!readOnly}
      nodesConnectable={!readOnly}
      deleteKeyCode={null}
      selectionMode={SelectionMode.Partial}
      multiSelectionKeyCode={MULTI_SELECTION}
      snapToGrid
      snapGrid={GRID}
      defaultViewport={opening}
      minZoom={least}
      maxZoom={1.75}
      attributionPosition="top-center"
    >
      <Background variant={BackgroundVariant.Dots} gap={20} size={1} />
      {nodes.length >= MINIMAP_FROM ? (
        <MiniMap<DesignNodeType>
          pannable
          ariaLabel={null}
          position="bottom-left"
          style={MAP_SIZE}
          nodeColor={mapColor}
        />
      ) : null}
    </ReactFlow>
  )
}

function useDrawn(): { nodes: DesignNodeType[]; edges: DesignEdgeType[] } {
  const spec = useSpec()
  const selection = useDesign((state) => state.selection)
  const problems = useChecker((state) => state.problems)
  const ofAgent = useChecker((state) => state.ofAgent)
  const [build] = useState(() => createFlow(cardSize))
  const cyclic = useMemo(
    () => new Set(problems.flatMap((p) => (p.code === 'cycle' && p.agent_id ? p.agent_id : []))),
    [problems],
  )
  const nodes = useMemo(
    () => build.nodes(spec, selection.agents, agentLabels(spec, ofAgent)),
    [build, ofAgent, spec, selection.agents],
  )
  const edges = useMemo(
    () => build.edges(spec, selection.edges, cyclic, edgeLabels(spec)),
    [build, spec, selection.edges, cyclic],
  )
  return { nodes, edges }
}

function CanvasTools({ readOnly }: Readonly<{ readOnly: boolean }>) {
  const canUndo = useDesign(({ history }) => history.past.length > 0)
  const canRedo = useDesign(({ history }) => history.future.length > 0)
  const { undo, redo } = useDesignStore().getState()
  const { fit, tidy, zoomIn, zoomOut } = useViews()
  const words = text.tools
  return (
    <div
      role="toolbar"
      aria-label={words.label}
      className="absolute right-3 bottom-3 z-10 flex flex-wrap justify-end gap-1.5"
    >
      {readOnly ? null : (
        <>
          <TipButton label={words.undo} isDisabled={!canUndo} onPress={undo} icon={Undo2} />
          <TipButton label={words.redo} isDisabled={!canRedo} onPress={redo} icon={Redo2} />
          <Button size="sm" icon={Network} onPress={tidy}>
            {words.tidy}
          </Button>
        </>
      )}
      <TipButton label={words.fit} onPress={fit} icon={Maximize} />
      <TipButton label={words.zoomOut} onPress={zoomOut} icon={Minus} />
      <TipButton label={words.zoomIn} onPress={zoomIn} icon={Plus} />
    </div>
  )
}
