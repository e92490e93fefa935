import {
  MarkerType,
  Position,
  type Edge as FlowEdge,
  type Node,
  type NodeHandle,
} from '@xyflow/react'

import { text } from '@/strings/designs'

import { namesOf } from './agent-names'
import type { Problems } from './checker'
import { edgeId, type DesignAgent, type DesignSpec, type Edge, type cardSize } from './edits'
import { GHOST_ID, ghostOf, type Ghost } from './ghost'

export type AgentNodeType = Node<{ readonly agent: DesignAgent }, 'agent'>
export type GhostNodeType = Node<Pick<Ghost, 'kind'>, 'ghost'>
export type DesignNodeType = AgentNodeType | GhostNodeType
export type DesignEdgeType = FlowEdge<{ readonly cyclic: boolean }, 'reads'>
type Size = typeof cardSize

const ARROW = { type: MarkerType.ArrowClosed, width: 16, height: 16, color: 'var(--line-strong)' }

interface Kept<T> {
  readonly key: string
  readonly value: T
}

/** Builds nodes and edges; an unchanged one is the same object as the last time, so it is not drawn again. */
export function createFlow(size: Size) {
  const nodes = new Map<string, Kept<AgentNodeType> & { readonly agent: DesignAgent }>()
  const edges = new Map<string, Kept<DesignEdgeType>>()
  const handles = handlesOf(size)
  let shownGhost: GhostNodeType | null = null

  const node = (agent: DesignAgent, selected: boolean, ariaLabel: string): AgentNodeType => {
    const known = nodes.get(agent.id)
    const key = `${selected} ${ariaLabel}`
    if (known?.agent === agent && known.key === key) return known.value
    const value: AgentNodeType = {
      id: agent.id,
      type: 'agent',
      position: { x: agent.x ?? 0, y: agent.y ?? 0 },
      ...size,
      measured: size,
      handles,
      selected,
      ariaLabel,
      data: { agent },
    }
    nodes.set(agent.id, { agent, key, value })
    return value
  }

  /** Seen, not touched: it is switched on and off in the panel. */
  const ghost = ({ kind, place }: Ghost, ariaLabel: string): GhostNodeType => {
    const before = shownGhost
    if (
      before?.data.kind === kind &&
      before.position.x === place.x &&
      before.position.y === place.y
    )
      return before
    shownGhost = {
      id: GHOST_ID,
      type: 'ghost',
      position: place,
      ...size,
      measured: size,
      handles,
      draggable: false,
      selectable: false,
      connectable: false,
      focusable: false,
      ariaRole: 'group',
      ariaLabel,
      data: { kind },
    }
    return shownGhost
  }

  const edge = (
    each: Edge,
    selected: boolean,
    cyclic: boolean,
    ariaLabel: string,
  ): DesignEdgeType => {
    const id = edgeId(each)
    const key = `${selected} ${cyclic} ${ariaLabel}`
    const known = edges.get(id)
    if (known?.key === key) return known.value
    const value: DesignEdgeType = {
      id,
      source: each.source,
      target: each.target,
      type: 'reads',
      markerEnd: ARROW,
      selected,
      ariaLabel,
      data: { cyclic },
      className: cyclic ? 'edge-cyclic' : '',
    }
    edges.set(id, { key, value })
    return value
  }

  const toGhost = (source: string): DesignEdgeType => {
    const each = { source, target: GHOST_ID }
    const id = edgeId(each)
    const known = edges.get(id)
    if (known) return known.value
    const value: DesignEdgeType = {
      ...each,
      id,
      type: 'reads',
      markerEnd: ARROW,
      selectable: false,
      focusable: false,
      data: { cyclic: false },
      className: 'edge-ghost',
    }
    edges.set(id, { key: '', value })
    return value
  }

  return {
    nodes: (
      design: DesignSpec,
      selected: ReadonlySet<string>,
      labelOf: (id: string) => string,
    ): DesignNodeType[] => {
      const behind = ghostOf(design)
      return [
        ...design.agents.map((agent) => node(agent, selected.has(agent.id), labelOf(agent.id))),
        ...(behind ? [ghost(behind, ghostLabel(behind))] : []),
      ]
    },
    edges: (
      design: DesignSpec,
      selected: ReadonlySet<string>,
      cyclic: ReadonlySet<string>,
      labelOf: (edge: Edge) => string,
    ): DesignEdgeType[] => [
      ...design.edges.map((each) => {
        const inCycle = cyclic.has(each.source) && cyclic.has(each.target)
        return edge(each, selected.has(edgeId(each)), inCycle, labelOf(each))
      }),
      ...(ghostOf(design)?.reads ?? []).map(toGhost),
    ],
  }
}

/** Given, not measured: edges are right in the first frame. */
function handlesOf({ width, height }: Size): NodeHandle[] {
  const size = { width: 12, height: 12, y: height / 2 - 6 }
  return [
    { ...size, type: 'target', position: Position.Left, x: -6 },
    { ...size, type: 'source', position: Position.Right, x: width - 6 },
  ]
}

const ghostLabel = ({ kind }: Ghost): string => {
  const { name, body } = text.canvas.ghosts[kind]
  return `${name}: ${body}`
}

export function edgeLabels(spec: DesignSpec): (edge: Edge) => string {
  const nameOf = namesOf(spec)
  return ({ source, target }) => text.canvas.edge(nameOf(target), nameOf(source))
}

/** An agent's name, whom it reads, and what is wrong with it. */
export function agentLabels(
  spec: DesignSpec,
  problems: ReadonlyMap<string, Problems>,
): (id: string) => string {
  const nameOf = namesOf(spec)
  const sources = new Map<string, string[]>()
  for (const { source, target } of spec.edges) {
    const read = sources.get(target)
    if (read) read.push(nameOf(source))
    else sources.set(target, [nameOf(source)])
  }
  return (id) => {
    const reads = sources.get(id)
    return text.canvas.agent(
      nameOf(id),
      reads ? text.canvas.reads(reads.join(', ')) : text.canvas.readsNobody,
      (problems.get(id) ?? []).map(({ message }) => message).join(' '),
    )
  }
}
