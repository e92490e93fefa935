import {
  Background,
  BackgroundVariant,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useStore,
  type Edge,
  type EdgeTypes,
  type Node,
  type NodeChange,
  type NodeTypes,
} from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { Maximize, Minus, Network, Plus } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'

import { Button } from '@/components/button'
import { layoutFor } from '@/components/run/run-store'
import { TipButton } from '@/components/tooltip'
import type { Direction, LayoutOptions, Point, Positions, Tidy } from '@/graph/layout'
import { headingOf, neighbour } from '@/graph/navigation'
import { toApiError } from '@/lib/api/errors'
import { notifyProblem } from '@/lib/toasts'
import { text } from '@/strings/run'

import { CanvasContext } from './canvas-context'
import './canvas.css'
import { LEAST_ZOOM, boundsOf, useCamera, type Camera } from './use-camera'

const NOBODY: readonly string[] = []
const NOTHING: ReadonlySet<string> = new Set()

interface Props<N extends Node, E extends Edge> {
  /** The name of the canvas, and how it is used, for those who do not see it. */
  label: string
  help: string
  nodes: N[]
  edges: E[]
  nodeTypes: NodeTypes
  edgeTypes: EdgeTypes
  positions: Positions
  direction: Direction
  /** Where its cards have another size than agents have. */
  layout?: LayoutOptions
  /** What the minimap paints a node with. */
  colorOf: (id: string) => string
  selected: string | null
  onSelect: (id: string | null) => void
  onMove: (id: string, point: Point) => void
  onTidy: (tidy: Tidy) => void
  /** Buttons beside those of the camera. */
  tools?: ReactNode
  /** As in the camera's scene. */
  active?: readonly string[]
  known?: ReadonlySet<string>
  lookingBack?: boolean
}

/** A graph to look around in: panned, zoomed, fitted, and walked with the arrow keys. A node whose
 * class is not empty is there no more. */
export function CanvasStage<N extends Node, E extends Edge>(props: Readonly<Props<N, E>>) {
  return (
    <ReactFlowProvider>
      <Stage {...props} />
    </ReactFlowProvider>
  )
}

function Stage<N extends Node, E extends Edge>(props: Readonly<Props<N, E>>) {
  const { label, help, nodes, edges, nodeTypes, edgeTypes, positions, direction, colorOf } = props
  const { selected, onSelect, onMove, onTidy, tools } = props
  const { active = NOBODY, known = NOTHING, lookingBack = false } = props
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  const [walked, setWalked] = useState<string | null>(null)
  const visible = useMemo(
    () => nodes.filter(({ className }) => !className).map(({ id }) => id),
    [nodes],
  )
  const usual = useMemo(() => layoutFor(direction), [direction])
  const layout = props.layout ?? usual
  const camera = useCamera({ positions, visible, active, layout, frame, known, lookingBack })
  const onNodesChange = useCallback(
    (changes: NodeChange<N>[]) => {
      for (const change of changes) {
        if (change.type !== 'position' || !change.position) continue
        onMove(change.id, change.position)
      }
    },
    [onMove],
  )
  const { release, show } = camera
  const open = (id: string): void => {
    setWalked(id)
    onSelect(id === selected ? null : id)
  }
  /** What lays it out is large, and few ask for it. */
  const arrange = async (): Promise<void> => {
    const { tidy } = await import('@/graph/tidy')
    onTidy(tidy)
    camera.fit()
  }
  const walk = (from: string, key: string): boolean => {
    if (key === 'Escape') onSelect(null)
    const heading = headingOf(key)
    if (!heading) return false
    const shown = new Set(visible)
    const reachable = new Map([...positions].filter(([id]) => shown.has(id)))
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
  const tabStop = [walked, selected].find((id) => id && visible.includes(id)) ?? visible[0] ?? ''
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
  return (
    <section ref={setFrame} aria-label={label} className="relative size-full min-h-0">
      <p className="sr-only">{help}</p>
      <CanvasContext value={actions}>
        <ReactFlow<N, E>
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
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
          minZoom={LEAST_ZOOM}
          maxZoom={1.75}
          attributionPosition="top-right"
        >
          <Background variant={BackgroundVariant.Dots} gap={20} size={1} />
          <Overview {...{ visible, positions, layout, colorOf }} />
        </ReactFlow>
      </CanvasContext>
      <CanvasControls
        camera={camera}
        onTidy={() => {
          arrange().catch((thrown: unknown) => notifyProblem(toApiError(thrown)))
        }}
      >
        {tools}
      </CanvasControls>
    </section>
  )
}

const FROM = 13

interface OverviewProps {
  visible: readonly string[]
  positions: Positions
  layout: LayoutOptions
  /** What it paints a node with. */
  colorOf: (id: string) => string
}

/** A small map of a large graph. It lies over cards, so it goes where all of them are in view. */
function Overview({ visible, positions, layout, colorOf }: Readonly<OverviewProps>) {
  const bounds = visible.length < FROM ? null : boundsOf(visible, positions, layout)
  const isPartHidden = useStore(({ transform: [left, top, zoom], width, height }) => {
    if (!bounds) return false
    const [x, y] = [bounds.x * zoom + left, bounds.y * zoom + top]
    return x < 0 || y < 0 || x + bounds.width * zoom > width || y + bounds.height * zoom > height
  })
  if (!isPartHidden) return null
  return (
    <MiniMap
      pannable
      ariaLabel={null}
      position="bottom-left"
      style={{ width: 150, height: 104 }}
      nodeColor={({ id }) => colorOf(id)}
    />
  )
}

interface CanvasControlsProps {
  camera: Camera
  onTidy: () => void
  /** What this canvas has besides. */
  children?: ReactNode
}

function CanvasControls({ camera, onTidy, children }: Readonly<CanvasControlsProps>) {
  const step = 1.3
  return (
    <div
      role="toolbar"
      aria-label={text.canvas.label}
      className="absolute right-3 bottom-3 z-10 flex gap-1.5"
    >
      {children}
      <Button size="sm" onPress={onTidy} icon={Network}>
        {text.canvas.tidy}
      </Button>
      <TipButton label={text.canvas.fit} onPress={camera.fit} icon={Maximize} />
      <TipButton label={text.canvas.zoomOut} onPress={() => camera.zoomBy(1 / step)} icon={Minus} />
      <TipButton label={text.canvas.zoomIn} onPress={() => camera.zoomBy(step)} icon={Plus} />
    </div>
  )
}
