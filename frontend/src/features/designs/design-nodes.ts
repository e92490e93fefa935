/** What React Flow is given: one object per agent and edge, kept while nothing about it changes. */
import {
  MarkerType,
  Position,
  type Edge as FlowEdge,
  type Node,
  type NodeHandle,
} from '@xyflow/react'

import { edgeId, type cardSize, type DesignAgent, type DesignSpec, type Edge } from './edits'

export type DesignNodeType = Node<{ readonly agent: DesignAgent }, 'agent'>
export type DesignEdgeType = FlowEdge<{ readonly cyclic: boolean }, 'reads'>
type Size = typeof cardSize

const ARROW = { type: MarkerType.ArrowClosed, width: 16, height: 16, color: 'var(--line-strong)' }

interface Kept<T> {
  readonly key: string
  readonly value: T
}

/** Builds nodes and edges; an unchanged one is the same object as the last time, so it is not drawn again. */
export function createFlow(size: Size) {
  const nodes = new Map<string, Kept<DesignNodeType> & { readonly agent: DesignAgent }>()
  const edges = new Map<string, Kept<DesignEdgeType>>()
  const handles = handlesOf(size)

  const node = (agent: DesignAgent, selected: boolean, ariaLabel: string): DesignNodeType => {
    const known = nodes.get(agent.id)
    const key = `${selected} ${ariaLabel}`
    if (known?.agent === agent && known.key === key) return known.value
    const value: DesignNodeType = {
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

  return {
    nodes: (
      design: DesignSpec,
      selected: ReadonlySet<string>,
      labelOf: (id: string) => string,
    ): DesignNodeType[] =>
      design.agents.map((agent) => node(agent, selected.has(agent.id), labelOf(agent.id))),
    edges: (
      design: DesignSpec,
      selected: ReadonlySet<string>,
      cyclic: ReadonlySet<string>,
      labelOf: (edge: Edge) => string,
    ): DesignEdgeType[] =>
      design.edges.map((each) => {
        const inCycle = cyclic.has(each.source) && cyclic.has(each.target)
        return edge(each, selected.has(edgeId(each)), inCycle, labelOf(each))
      }),
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
