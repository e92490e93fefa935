/**
 * Places for a graph too large for dagre, whose time grows with the square of it: seconds for hundreds.
 *
 * The usual steps (Sugiyama): columns by the longest way there; an order in each column by the middle of
 * the neighbours, swept to and fro; offsets as near to that middle as the neighbours in the column allow.
 * What it leaves out are bends around cards that a long edge passes.
 */
import type { LayoutNode } from './layout'

export interface Place {
  readonly column: number
  /** Of the centre, in rows from that of the first node. */
  readonly row: number
}

const SWEEPS = 6

interface Vertex {
  readonly id: string
  readonly before: Vertex[]
  readonly after: Vertex[]
  column: number
  row: number
}

export function layered(nodes: readonly LayoutNode[]): ReadonlyMap<string, Place> {
  const vertices = vertexesOf(nodes)
  const columns: Vertex[][] = []
  for (const vertex of vertices) (columns[vertex.column] ??= []).push(vertex)
  for (const column of columns) column.forEach((vertex, row) => (vertex.row = row))
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isForth = sweep % 2 === 0
    for (const column of isForth ? columns : columns.toReversed())
      settle(column, isForth ? 'before' : 'after')
  }
  const home = vertices.find(({ id }) => id === nodes[0]?.id)?.row ?? 0
  return new Map(vertices.map(({ id, column, row }) => [id, { column, row: row - home }]))
}

/** In their order, each with its column; an edge that closes a circle is left out. */
function vertexesOf(nodes: readonly LayoutNode[]): Vertex[] {
  const reads = new Map(nodes.map((node) => [node.id, node.reads]))
  const vertices = new Map<string, Vertex>()
  const open = new Set<string>()
  const ordered: Vertex[] = []
  const enter = (id: string): Step => {
    const vertex: Vertex = { id, before: [], after: [], column: 0, row: 0 }
    vertices.set(id, vertex)
    open.add(id)
    return { vertex, left: [...(reads.get(id) ?? [])] }
  }
  for (const { id } of nodes) {
    // A stack of its own: a chain of hundreds is as deep as it is long.
    const steps = vertices.has(id) ? [] : [enter(id)]
    for (let step = steps.at(-1); step; step = steps.at(-1)) {
      const source = step.left.at(-1)
      if (source === undefined) {
        steps.pop()
        open.delete(step.vertex.id)
        ordered.push(step.vertex)
      } else if (reads.has(source) && !vertices.has(source)) {
        steps.push(enter(source))
      } else {
        step.left.pop()
        const read = open.has(source) ? undefined : vertices.get(source)
        if (read) link(read, step.vertex)
      }
    }
  }
  const places = new Map(nodes.map(({ id }, index) => [id, index]))
  return ordered.sort((left, right) => (places.get(left.id) ?? 0) - (places.get(right.id) ?? 0))
}

interface Step {
  readonly vertex: Vertex
  readonly left: string[]
}

function link(source: Vertex, target: Vertex): void {
  source.after.push(target)
  target.before.push(source)
  target.column = Math.max(target.column, source.column + 1)
}

/** Orders a column by the middles of its neighbours on one side and puts each as near to its own as it goes. */
function settle(column: Vertex[], side: 'before' | 'after'): void {
  const wanted = new Map(column.map((vertex) => [vertex, middle(vertex[side]) ?? vertex.row]))
  column.sort((left, right) => (wanted.get(left) ?? 0) - (wanted.get(right) ?? 0))
  const rows = spaced(column.map((vertex) => wanted.get(vertex) ?? 0))
  column.forEach((vertex, index) => (vertex.row = rows[index] ?? index))
}

const middle = (vertices: readonly Vertex[]): number | null =>
  vertices.length > 0 ? vertices.reduce((sum, { row }) => sum + row, 0) / vertices.length : null

/** The rows nearest to ascending wishes (least squares) that lie at least one apart: those that come too near
 * share the mean of their wishes (pool adjacent violators). */
export function spaced(wishes: readonly number[]): number[] {
  const blocks: { mean: number; count: number }[] = []
  wishes.forEach((wish, index) => {
    let block = { mean: wish - index, count: 1 }
    for (let last = blocks.at(-1); last && last.mean > block.mean; last = blocks.at(-1)) {
      blocks.pop()
      const count = last.count + block.count
      block = { mean: (last.mean * last.count + block.mean * block.count) / count, count }
    }
    blocks.push(block)
  })
  return blocks
    .flatMap(({ mean, count }) => Array.from({ length: count }, () => mean))
    .map((mean, index) => mean + index)
}
