/**
 * Edges that pass other nodes instead of running behind them.
 *
 * Between source and target every group of nodes that stand side by side is passed at the free height
 * nearest to the straight line. Curves leave, pass and arrive in the direction in which columns follow.
 */
import type { LayoutOptions, Point, Positions } from './layout'

/** How far an edge that points back passes outside of everybody. */
const ARC = 26
/** Half the width of its head. */
const HEAD = 5

/** Along the columns and across them, whatever the direction of the layout. */
interface Spot {
  readonly along: number
  readonly across: number
}

interface Box extends Spot {
  readonly length: number
  readonly depth: number
}

/** An SVG path from the output side of an edge's source to the input side of its target. */
export interface Route {
  readonly path: string
  readonly middle: Point
}

/** Finds the ways between nodes that stand at these places, each of them once: a replay draws the same
 * edges with every moment. */
export class Router {
  private readonly boxes: ReadonlyMap<string, Box>
  private readonly inOrder: readonly Box[]
  private readonly found = new Map<string, Route>()

  constructor(
    positions: Positions,
    private readonly options: LayoutOptions,
  ) {
    this.boxes = new Map([...positions].map(([id, point]) => [id, boxOf(point, options)]))
    this.inOrder = [...this.boxes.values()].sort((a, b) => a.along - b.along)
  }

  /** null: one of the two stands nowhere. */
  route(source: string, target: string): Route | null {
    const key = `${source}→${target}`
    const route = this.found.get(key) ?? this.find(source, target)
    if (route) this.found.set(key, route)
    return route
  }

  /** An edge that points back: an arc over everybody, from the outer side of one to that of the other,
   * with a head. null: one of the two stands nowhere. */
  back(source: string, target: string): Route | null {
    const key = `${source}↩${target}`
    const route = this.found.get(key) ?? this.arc(source, target)
    if (route) this.found.set(key, route)
    return route
  }

  private arc(source: string, target: string): Route | null {
    const from = this.boxes.get(source)
    const to = this.boxes.get(target)
    if (!from || !to) return null
    const start = { along: from.along + from.length / 2, across: from.across }
    const end = { along: to.along + to.length / 2, across: to.across }
    const passed = this.inOrder.filter(
      (box) =>
        box.along + box.length > Math.min(start.along, end.along) &&
        box.along < Math.max(start.along, end.along),
    )
    const top = Math.min(...passed.map((box) => box.across), start.across, end.across) - ARC
    // A cubic reaches three quarters of the way to its two handles.
    const reach = (spot: Spot): Spot => ({
      along: spot.along,
      across: spot.across + (top - spot.across) / 0.75,
    })
    const at = (spot: Spot): string => {
      const { x, y } = pointOf(spot, this.options)
      return `${round(x)},${round(y)}`
    }
    const rim = (side: number): string =>
      at({ along: end.along + side * HEAD, across: end.across - 1.6 * HEAD })
    const path = `M${at(start)}C${at(reach(start))} ${at(reach(end))} ${at(end)}`
    const head = `M${rim(-1)}L${at(end)}L${rim(1)}`
    const middle = pointOf({ along: (start.along + end.along) / 2, across: top }, this.options)
    return { path: `${path}${head}`, middle }
  }

  private find(source: string, target: string): Route | null {
    const from = this.boxes.get(source)
    const to = this.boxes.get(target)
    if (!from || !to) return null
    const start = { along: from.along + from.length, across: from.across + from.depth / 2 }
    const end = { along: to.along, across: to.across + to.depth / 2 }
    const between = this.inOrder.filter(
      (box) => box.along >= start.along && box.along + box.length <= end.along,
    )
    const spots = [start, ...passages(start, end, groupsOf(between), this.options.rowGap), end]
    return { path: pathOf(spots, this.options), middle: middleOf(spots, this.options) }
  }
}

/** Nodes whose extents along the columns overlap stand side by side. The boxes come in their order. */
function groupsOf(boxes: readonly Box[]): Box[][] {
  const groups: Box[][] = []
  let reach = -Infinity
  for (const box of boxes) {
    const last = groups.at(-1)
    if (last && box.along < reach) last.push(box)
    else groups.push([box])
    reach = Math.max(reach, box.along + box.length)
  }
  return groups
}

function passages(start: Spot, end: Spot, groups: readonly Box[][], gap: number): Spot[] {
  const spots: Spot[] = []
  let last = start
  for (const group of groups) {
    const entry = Math.min(...group.map((box) => box.along))
    const exit = Math.max(...group.map((box) => box.along + box.length))
    const part = ((entry + exit) / 2 - last.along) / Math.max(1, end.along - last.along)
    const wanted = last.across + part * (end.across - last.across)
    const across = freeHeight(wanted, group, gap / 2)
    spots.push({ along: entry, across }, { along: exit, across })
    last = { along: exit, across }
  }
  return spots
}

/** The height nearest to `wanted` that keeps `margin` from every node of the group. */
function freeHeight(wanted: number, group: readonly Box[], margin: number): number {
  const isFree = (height: number): boolean =>
    group.every((box) => height <= box.across - margin || height >= box.across + box.depth + margin)
  const rims = group.flatMap((box) => [box.across - margin, box.across + box.depth + margin])
  const free = [wanted, ...rims].filter(isFree)
  return free.reduce(
    (best, height) => (Math.abs(height - wanted) < Math.abs(best - wanted) ? height : best),
    free[0] ?? wanted,
  )
}

function pathOf(spots: readonly Spot[], options: LayoutOptions): string {
  const [first, ...rest] = spots
  if (!first) return ''
  const text = (spot: Spot): string => {
    const { x, y } = pointOf(spot, options)
    return `${round(x)},${round(y)}`
  }
  let last = first
  const parts = rest.map((spot) => {
    const reach = Math.max(24, Math.abs(spot.along - last.along) * 0.5)
    const leave = { along: last.along + reach, across: last.across }
    const arrive = { along: spot.along - reach, across: spot.across }
    const isStraight = last.across === spot.across && spot.along > last.along
    last = spot
    return isStraight ? `L${text(spot)}` : `C${text(leave)} ${text(arrive)} ${text(spot)}`
  })
  return `M${text(first)}${parts.join('')}`
}

function middleOf(spots: readonly Spot[], options: LayoutOptions): Point {
  const index = Math.floor((spots.length - 1) / 2)
  const [a, b] = [spots[index], spots[index + 1]]
  if (!a || !b) return { x: 0, y: 0 }
  return pointOf({ along: (a.along + b.along) / 2, across: (a.across + b.across) / 2 }, options)
}

function boxOf(point: Point, options: LayoutOptions): Box {
  return options.direction === 'right'
    ? { along: point.x, across: point.y, length: options.width, depth: options.height }
    : { along: point.y, across: point.x, length: options.height, depth: options.width }
}

function pointOf(spot: Spot, options: LayoutOptions): Point {
  return options.direction === 'right'
    ? { x: spot.along, y: spot.across }
    : { x: spot.across, y: spot.along }
}

const round = (value: number): number => Math.round(value * 10) / 10
