import { useReactFlow, type Connection, type EdgeChange, type NodeChange } from '@xyflow/react'
import { useMemo, type DragEvent } from 'react'

import type { Point } from '@/graph/layout'
import { notifyProblem } from '@/lib/toasts'
import { text } from '@/strings/designs'

import type { DesignEdgeType, DesignNodeType } from './design-nodes'
import { useDesignStore } from './design-store'
import { ROLE_TYPE, roleOfDrag } from './drag-role'
import { addAgent, cardSize, connect, moveAgents, whyNotDrawn } from './edits'

/** What is done on the canvas is done to the design's store. The same functions for ever: React Flow tells
 * every card and every edge when one of them is another. */
export function useCanvasEdits() {
  const store = useDesignStore()
  const flow = useReactFlow()
  return useMemo(() => {
    const { edit, select } = store.getState()
    return {
      onNodesChange: (changes: NodeChange<DesignNodeType>[]): void => {
        const points = new Map<string, Point>()
        for (const change of changes)
          if (change.type === 'position' && change.position)
            points.set(change.id, round(change.position))
        if (points.size > 0)
          edit((design) => moveAgents(design, points), `move ${[...points.keys()].join(' ')}`)
        const { selection } = store.getState()
        const agents = chosenAfter(selection.agents, changes)
        if (agents) select({ agents, edges: selection.edges })
      },
      onEdgesChange: (changes: EdgeChange<DesignEdgeType>[]): void => {
        const { selection } = store.getState()
        const edges = chosenAfter(selection.edges, changes)
        if (edges) select({ agents: selection.agents, edges })
      },
      onConnect: (edge: Connection): void => {
        const reason = whyNotDrawn(store.getState().history.present.spec, edge)
        if (reason) notifyProblem(text.canvas.notDrawn[reason])
        else edit((design) => connect(design, edge))
      },
      onDragOver: (event: DragEvent): void => {
        if (event.dataTransfer.types.includes(ROLE_TYPE)) event.preventDefault()
      },
      onDrop: (event: DragEvent): void => {
        const role = roleOfDrag(event.dataTransfer)
        if (!role) return
        event.preventDefault()
        const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY })
        const corner = round({ x: x - cardSize.width / 2, y: y - cardSize.height / 2 })
        const [next, id] = addAgent(store.getState().history.present.spec, role, corner)
        edit(() => next)
        select({ agents: new Set([id]) })
      },
    }
  }, [flow, store])
}

const round = ({ x, y }: Point): Point => ({ x: Math.round(x), y: Math.round(y) })

/** Null where the changes choose nothing. */
function chosenAfter(
  before: ReadonlySet<string>,
  changes: readonly (NodeChange<DesignNodeType> | EdgeChange<DesignEdgeType>)[],
): ReadonlySet<string> | null {
  const chosen = new Set(before)
  for (const change of changes) {
    if (change.type !== 'select') continue
    if (change.selected) chosen.add(change.id)
    else chosen.delete(change.id)
  }
  return changes.some(({ type }) => type === 'select') ? chosen : null
}
