/**
 * Placement of a graph that grows under the reader's eyes: what has been placed never moves.
 *
 * A new node goes one column behind its deepest predecessor, at the free place nearest to the mean of its
 * predecessors; many that read the same stand in several columns. Edges find their way around nodes
 * (`route.ts`). `tidy.ts` lays everything out again.
 *
 * Positions are top-left corners in pixels; `across` is the axis along which columns follow each other.
 */
export interface Point {
  readonly x: number
  readonly y: number
}

export type Positions = ReadonlyMap<string, Point>

export interface LayoutNode {
  readonly id: string
  readonly reads: readonly string[]
}

/** Columns run left to right ("right"), or top to bottom on a narrow screen ("down"). */
export type Direction = 'right' | 'down'

export interface LayoutOptions {
  readonly direction: Direction
  readonly width: number
  readonly height: number
  /** Free space between columns and between neighbours in a column. */
  readonly columnGap: number
  readonly rowGap: number
}

export const DEFAULT_LAYOUT: LayoutOptions = {
  direction: 'right',
  width: 216,
  height: 128,
  columnGap: 56,
  rowGap: 28,
}

const MOST_ABREAST = 3

/** More that read the same and come together stand in several columns. */
const MOST_IN_COLUMN = 6
/** Of a block that fills a canvas together with the columns before and after it. */
const ROWS_PER_COLUMN = 1.5

/** A narrow canvas is filled downwards, unless many begin side by side. */
export const directionFor = (abreast: number, narrow: boolean): Direction =>
  narrow && abreast <= MOST_ABREAST ? 'down' : 'right'

/** A node in layout coordinates: which column, and the offset of its centre across it. */
interface Cell {
  readonly column: number
  readonly offset: number
}

/** What `tidy.ts` does: it lays out the whole graph again. Pages fetch it when a person asks for it. */
export type Tidy = (nodes: readonly LayoutNode[], options?: LayoutOptions) => Positions

export const NOWHERE: Positions = new Map()

/** Adds the nodes that `placed` lacks, in order. Returns `placed` itself when nothing is new. */
export function place(
  nodes: readonly LayoutNode[],
  placed: Positions,
  options: LayoutOptions = DEFAULT_LAYOUT,
): Positions {
  if (nodes.every((node) => placed.has(node.id))) return placed
  const positions = new Map(placed)
  const cells = new Map([...placed].map(([id, point]) => [id, cellOf(point, options)]))
  for (const group of siblings(nodes.filter((node) => !placed.has(node.id)))) {
    const found = isWide(group) ? block(group, cells, options) : stack(group, cells, options)
    group.forEach((node, index) => {
      const cell = found[index]
      if (!cell) return
      cells.set(node.id, cell)
      positions.set(node.id, pointOf(cell, options))
    })
  }
  return positions
}

/** One below the other in one column, as near to what they read as it goes. */
function stack(
  group: readonly LayoutNode[],
  cells: ReadonlyMap<string, Cell>,
  options: LayoutOptions,
): Cell[] {
  const taken = new Map(cells)
  for (const node of group) taken.set(node.id, freeCell(node, taken, options))
  return group.flatMap(({ id }) => taken.get(id) ?? []).sort((a, b) => a.offset - b.offset)
}

const isWide = (group: readonly LayoutNode[]): boolean => group.length > MOST_IN_COLUMN

/** Several columns, filled row by row, about as wide as high. One column of many agents could not be
 * read. */
function block(
  group: readonly LayoutNode[],
  cells: ReadonlyMap<string, Cell>,
  options: LayoutOptions,
): Cell[] {
  let columns = 2
  while (group.length / columns > ROWS_PER_COLUMN * (columns + 2)) columns += 1
  const rows = Math.ceil(group.length / columns)
  const { row: pitch } = pitches(options)
  const { column, wanted } = wishOf(group[0], cells)
  const beside = [...cells.values()].filter(
    (other) => other.column > column - 0.999 && other.column < column + columns - 0.001,
  )
  const centred = wanted - ((rows - 1) / 2) * pitch
  const isFree = beside.every(
    ({ offset }) => offset <= centred - pitch || offset >= centred + rows * pitch,
  )
  const top = isFree ? centred : Math.max(...beside.map(({ offset }) => offset)) + pitch
  return group.map((_, index) => ({
    column: column + (index % columns),
    offset: top + Math.floor(index / columns) * pitch,
  }))
}

/** Whether some of them stand in several columns. */
export const hasCrowd = (nodes: readonly LayoutNode[]): boolean => siblings(nodes).some(isWide)

/** Neighbours in order that read the same share a column, and stand in it in their order. */
function siblings(nodes: readonly LayoutNode[]): LayoutNode[][] {
  const groups: LayoutNode[][] = []
  for (const node of nodes) {
    const last = groups.at(-1)
    const same = last?.[0]?.reads.join('\n') === node.reads.join('\n')
    if (last && same) last.push(node)
    else groups.push([node])
  }
  return groups
}

/** Distance between the centres of neighbours: along the columns, and inside a column. */
export function pitches(options: LayoutOptions): { column: number; row: number } {
  const right = options.direction === 'right'
  return {
    column: (right ? options.width : options.height) + options.columnGap,
    row: (right ? options.height : options.width) + options.rowGap,
  }
}

function cellOf(point: Point, options: LayoutOptions): Cell {
  const right = options.direction === 'right'
  const { column } = pitches(options)
  return { column: (right ? point.x : point.y) / column, offset: right ? point.y : point.x }
}

export function pointOf(cell: Cell, options: LayoutOptions): Point {
  const along = Math.round(cell.column * pitches(options).column)
  const offset = Math.round(cell.offset)
  return options.direction === 'right' ? { x: along, y: offset } : { x: offset, y: along }
}

function freeCell(
  node: LayoutNode,
  cells: ReadonlyMap<string, Cell>,
  options: LayoutOptions,
): Cell {
  const { column, wanted } = wishOf(node, cells)
  const { row } = pitches(options)
  // After a tidy or a drag a node may sit between two columns, so closeness counts, not equality.
  const near = [...cells.values()].filter((other) => Math.abs(other.column - column) < 0.999)
  const offset = offsetsAround(wanted, near, row)
    .filter((place) => near.every((other) => Math.abs(other.offset - place) >= row - 0.5))
    .reduce((best, next) => (Math.abs(next - wanted) < Math.abs(best - wanted) ? next : best))
  return { column, offset }
}

/** One column behind the deepest of those that it reads, level with their mean. */
function wishOf(node: LayoutNode | undefined, cells: ReadonlyMap<string, Cell>) {
  const sources = node?.reads.flatMap((id) => cells.get(id) ?? []) ?? []
  return {
    column: sources.length > 0 ? Math.floor(Math.max(...sources.map((c) => c.column))) + 1 : 0,
    wanted: mean(sources.map((cell) => cell.offset)) ?? 0,
  }
}

/** Half-row steps around the wish, and the places right beside every neighbour: one is always free. */
function offsetsAround(wanted: number, near: readonly Cell[], row: number): number[] {
  const steps = Array.from({ length: 7 }, (_, index) => index / 2)
  return [
    ...steps.flatMap((step) => [wanted + step * row, wanted - step * row]),
    ...near.flatMap((cell) => [cell.offset + row, cell.offset - row]),
  ]
}

function mean(values: readonly number[]): number | null {
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : null
}
