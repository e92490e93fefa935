/**
 * Lays out a whole graph again, when a person asks for it; the first node keeps its corner so that the
 * view does not jump. Apart from `layout.ts`, since dagre is fetched with it.
 */
import dagre from '@dagrejs/dagre'

import { layered } from './layered'
import {
  DEFAULT_LAYOUT,
  hasCrowd,
  NOWHERE,
  pitches,
  place,
  pointOf,
  type LayoutNode,
  type LayoutOptions,
  type Point,
  type Positions,
  type Tidy,
} from './layout'

/** From so many nodes and edges on, dagre takes longer than a person likes to wait. */
const LARGE = 150

export const tidy: Tidy = (nodes, options = DEFAULT_LAYOUT) => {
  const lay = wayFor(nodes)
  return anchored(lay(nodes, options), nodes[0])
}

function wayFor(nodes: readonly LayoutNode[]) {
  // Dagre knows one column per layer.
  if (hasCrowd(inColumnOrder(nodes))) return tidyInRows
  const size = nodes.reduce((sum, { reads }) => sum + 1 + reads.length, 0)
  return size < LARGE ? tidyWithDagre : tidyInColumns
}

const tidyInRows = (nodes: readonly LayoutNode[], options: LayoutOptions): Positions =>
  place(inColumnOrder(nodes), NOWHERE, options)

/** Each after what it reads, and those side by side that read the same. */
function inColumnOrder(nodes: readonly LayoutNode[]): LayoutNode[] {
  const found = layered(nodes)
  const rank = ({ id }: LayoutNode): number => found.get(id)?.column ?? 0
  return nodes.toSorted((a, b) => rank(a) - rank(b))
}

function tidyInColumns(nodes: readonly LayoutNode[], options: LayoutOptions): Positions {
  const { row: rowPitch } = pitches(options)
  return new Map(
    [...layered(nodes)].map(([id, { column, row }]) => [
      id,
      pointOf({ column, offset: row * rowPitch }, options),
    ]),
  )
}

function tidyWithDagre(nodes: readonly LayoutNode[], options: LayoutOptions): Positions {
  const { width, height } = options
  const graph = new dagre.graphlib.Graph()
  graph.setGraph({
    rankdir: options.direction === 'right' ? 'LR' : 'TB',
    ranksep: options.columnGap,
    nodesep: options.rowGap,
  })
  graph.setDefaultEdgeLabel(() => ({}))
  const known = new Set(nodes.map((node) => node.id))
  for (const node of nodes) graph.setNode(node.id, { width, height })
  for (const node of nodes) {
    for (const source of node.reads) if (known.has(source)) graph.setEdge(source, node.id)
  }
  dagre.layout(graph)
  return new Map(
    nodes.map(({ id }) => {
      const centre = graph.node(id) as Point
      return [id, { x: centre.x - width / 2, y: centre.y - height / 2 }]
    }),
  )
}

function anchored(positions: Positions, first: LayoutNode | undefined): Positions {
  const home = positions.get(first?.id ?? '') ?? { x: 0, y: 0 }
  return new Map(
    [...positions].map(([id, { x, y }]) => [
      id,
      { x: Math.round(x - home.x), y: Math.round(y - home.y) },
    ]),
  )
}
