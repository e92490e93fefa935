/**
 * Where the blocks of a drawing stand: each frame is laid out by itself, from the inside out, and stands in its
 * holder as one node. Pixels; corners are top left.
 */
import dagre from '@dagrejs/dagre'

import { DYNAMIC, heldBy, inOrder } from './blocks'
import { grouped } from './grouped'
import type { Drawing, DrawnBlock } from './scripts'

/** Where the script starts and ends: the question and the answer. */
export const QUESTION = '?'
export const ANSWER = '!'

export type Flow = 'down' | 'right'

export interface Box {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Line {
  readonly id: string
  readonly source: string
  readonly target: string
  readonly label: string
  readonly path: string
  readonly middle: Point
  /** It leads to what stands before its source. */
  readonly isBack: boolean
}

export interface Placed {
  readonly flow: Flow
  readonly width: number
  readonly height: number
  /** Holders before what they hold. */
  readonly boxes: ReadonlyMap<string, Box>
  readonly lines: readonly Line[]
}

interface Point {
  readonly x: number
  readonly y: number
}

interface Size {
  readonly width: number
  readonly height: number
}

export const CARD: Size = { width: 164, height: 56 }
const END: Size = { width: 104, height: 30 }
const ENTRY: Size = { width: 1, height: 1 }
const PAD = 12
const HEAD = 30
/** One that says in a second line that it is decided while the script runs. */
const TALL_HEAD = 44
/** A frame's head must fit. */
const CHAR = 6.4
const LABEL: Size = { width: 6.4, height: 18 }
/** How far an edge that leads back lies beside what it goes around, without a label. */
const BOW = 14
/** Beside a label. */
const SPARE = 6
const GAPS = { nodesep: 14, ranksep: 30, edgesep: 12 }

interface Wire {
  readonly source: string
  readonly target: string
  readonly label: string
}

export const headHeight = ({ kind }: DrawnBlock): number => (DYNAMIC.has(kind) ? TALL_HEAD : HEAD)

export interface Way {
  readonly flow: Flow
  /** How many stand side by side that nothing connects, such as the members of an ensemble. */
  readonly abreast: number
}

/** `headOf`: the words in a frame's head. */
export function placed(
  drawing: Drawing,
  { flow, abreast }: Way,
  headOf: (block: DrawnBlock) => string,
): Placed {
  const blocks = inOrder(drawing.blocks)
  const held = heldBy(blocks)
  const byId = new Map(blocks.map((block) => [block.id, block]))
  const holderOf = (id: string): string | null => {
    const inside = byId.get(id)?.inside ?? null
    return inside !== null && byId.has(inside) && inside !== id ? inside : null
  }
  const wayUp = (id: string): string[] => {
    const way = [id]
    for (let at = holderOf(id); at !== null && !way.includes(at); at = holderOf(at)) way.push(at)
    return way
  }
  const lifting = (wire: Wire): Lifted | null => lift(wayUp(wire.source), wayUp(wire.target))
  const wires = withEnds(drawing, byId, lifting)
  const lifted = onceEach(wires, wires.map(lifting))
  const levels = new Map<string | null, Level>()
  /** From the inside out: what it holds has its size before it does. */
  const lay = (holder: string | null): Level => {
    const inner = (held.get(holder) ?? []).map((block) => {
      const isFrame = held.has(block.id)
      return { id: block.id, size: isFrame ? frameSize(lay(block.id), block, headOf(block)) : CARD }
    })
    const ends = [QUESTION, ANSWER].flatMap((id) =>
      holder === null && wires.some(({ source, target }) => source === id || target === id)
        ? [{ id, size: END }]
        : [],
    )
    const own = lifted.flatMap((at, index) =>
      at?.level === holder ? [{ ...at, index, label: wires[index]?.label ?? '' }] : [],
    )
    const entry = entryOf(holder ?? '')
    if (own.some(({ source }) => source === entry)) ends.push({ id: entry, size: ENTRY })
    const level =
      own.length === 0 && holder !== null
        ? rowsOf(inner, abreast)
        : levelOf([...inner, ...ends], own, flow)
    levels.set(holder, level)
    return level
  }
  const whole = lay(null)
  const boxes = new Map<string, Box>()
  const bends = new Map<number, Bend>()
  const put = (holder: string | null, at: Point): void => {
    const level = levels.get(holder)
    if (!level) return
    for (const [index, { points, label }] of level.bends)
      bends.set(index, {
        points: points.map((point) => moved(point, at)),
        label: label && moved(label, at),
      })
    for (const [id, box] of level.boxes) {
      const corner = moved(box, at)
      boxes.set(id, { id, ...corner, width: box.width, height: box.height })
      const block = byId.get(id)
      if (block && held.has(id)) {
        const spare = box.width - 2 * PAD - (levels.get(id)?.width ?? 0)
        put(id, { x: corner.x + PAD + spare / 2, y: corner.y + headHeight(block) })
      }
    }
  }
  put(null, { x: 0, y: 0 })
  const lines = wires.flatMap((wire, index) => {
    const isEntry = lifted[index]?.source === entryOf(wire.source)
    const from = boxes.get(isEntry ? entryOf(wire.source) : wire.source)
    const to = boxes.get(wire.target)
    return from && to && lifted[index]
      ? [drawn(wire, index, { from, to }, bends.get(index), flow)]
      : []
  })
  return { flow, width: whole.width, height: whole.height, boxes, lines }
}

/** The edges, with those from the question to what nothing comes before, and from what is delivered to the answer. */
function withEnds(
  { blocks, edges, delivers }: Drawing,
  byId: ReadonlyMap<string, DrawnBlock>,
  lifting: (wire: Wire) => Lifted | null,
): readonly Wire[] {
  const known = edges.filter(({ source, target }) => byId.has(source) && byId.has(target))
  const reached = new Set(
    known.flatMap((wire) => {
      const at = lifting(wire)
      return at?.level === null ? [at.target] : []
    }),
  )
  const first = (heldBy(blocks).get(null) ?? []).filter(({ id }) => !reached.has(id))
  return [
    ...first.map(({ id }) => ({ source: QUESTION, target: id, label: '' })),
    ...known,
    ...delivers.flatMap((id) => (byId.has(id) ? [{ source: id, target: ANSWER, label: '' }] : [])),
  ]
}

interface Lifted {
  /** The innermost frame that holds both ends; null: none. */
  readonly level: string | null
  /** What stands for the ends there. */
  readonly source: string
  readonly target: string
}

/** Where a frame's own edge to what it holds begins: “yes”, from an `if`. */
const entryOf = (frame: string): string => `${frame}>`

/** null: an end lies in the other, so there is nothing to draw. */
function lift(source: readonly string[], target: readonly string[]): Lifted | null {
  const [holder = ''] = source
  const inner = target[target.indexOf(holder) - 1]
  if (inner !== undefined) return { level: holder, source: entryOf(holder), target: inner }
  const shared = source.find((id) => target.includes(id)) ?? null
  const below = (way: readonly string[]): string | undefined =>
    shared === null ? way.at(-1) : way[way.indexOf(shared) - 1]
  const [from, to] = [below(source), below(target)]
  return from === undefined || to === undefined ? null : { level: shared, source: from, target: to }
}

/** Edges that would lie on each other, since they stand for others inside, are drawn once. */
function onceEach(
  wires: readonly Wire[],
  lifted: readonly (Lifted | null)[],
): readonly (Lifted | null)[] {
  const keyOf = (at: Lifted, index: number): string =>
    [at.source, at.target, wires[index]?.label].join('\n')
  const isWhole = (at: Lifted, index: number): boolean =>
    at.source === wires[index]?.source && at.target === wires[index].target
  const first = new Map<string, number>()
  for (const wholeOnly of [true, false])
    lifted.forEach((at, index) => {
      if (!at || (wholeOnly && !isWhole(at, index))) return
      const key = keyOf(at, index)
      if (!first.has(key)) first.set(key, index)
    })
  return lifted.map((at, index) => (at && first.get(keyOf(at, index)) === index ? at : null))
}

interface Bend {
  readonly points: readonly Point[]
  /** Where there is room for its label. */
  readonly label: Point | null
}

interface Level extends Size {
  readonly boxes: ReadonlyMap<string, Point & Size>
  /** By the number of the edge; those that lead back have none. */
  readonly bends: ReadonlyMap<number, Bend>
}

interface Node {
  readonly id: string
  readonly size: Size
}

/** Those that nothing connects, in rows, in their order. */
function rowsOf(nodes: readonly Node[], abreast: number): Level {
  const boxes = new Map<string, Point & Size>()
  const columns = Math.max(1, Math.min(abreast, nodes.length))
  const width = Math.max(0, ...nodes.map(({ size }) => size.width))
  let y = 0
  for (let first = 0; first < nodes.length; first += columns) {
    const row = nodes.slice(first, first + columns)
    const indent = ((columns - row.length) * (width + GAPS.nodesep)) / 2
    row.forEach(({ id, size }, column) => {
      const x = indent + column * (width + GAPS.nodesep) + (width - size.width) / 2
      boxes.set(id, { ...size, x, y })
    })
    y += Math.max(...row.map(({ size }) => size.height)) + GAPS.nodesep
  }
  return {
    boxes,
    bends: new Map(),
    width: columns * (width + GAPS.nodesep) - GAPS.nodesep,
    height: Math.max(0, y - GAPS.nodesep),
  }
}

interface LevelWire extends Wire {
  readonly index: number
}

function levelOf(nodes: readonly Node[], all: readonly LevelWire[], flow: Flow): Level {
  const back = leadingBack(nodes, all)
  const wires = all.filter((wire) => !back.has(wire))
  const graph = new dagre.graphlib.Graph({ multigraph: true })
  graph.setGraph({ rankdir: flow === 'right' ? 'LR' : 'TB', ...GAPS })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id, size } of nodes) graph.setNode(id, { ...size })
  for (const { index, source, target, label } of wires) {
    const size = label ? { width: label.length * LABEL.width + 12, height: LABEL.height } : {}
    graph.setEdge(source, target, { ...size, labelpos: 'c' }, String(index))
  }
  dagre.layout(graph)
  const boxes = new Map(
    nodes.map(({ id, size }) => {
      const { x, y } = graph.node(id) as Point
      return [id, { ...size, x: x - size.width / 2, y: y - size.height / 2 }]
    }),
  )
  const bends = new Map(
    wires.map(({ index, source, target }) => {
      const edge = graph.edge(source, target, String(index)) as Partial<Point> & {
        points?: Point[]
      }
      const { points = [], x, y } = edge
      return [index, { points, label: x === undefined || y === undefined ? null : { x, y } }]
    }),
  )
  const placedBoxes = [...boxes.values()]
  const beside = Math.max(
    0,
    ...[...back].map(({ label }) => reachOf(label, flow) + labelSize(label, flow) / 2 + SPARE),
  )
  const left = Math.min(0, ...placedBoxes.map(({ x }) => x))
  const top = Math.min(0, ...placedBoxes.map(({ y }) => y))
  return {
    boxes,
    bends,
    width:
      Math.max(0, ...placedBoxes.map(({ x, width }) => x + width)) -
      left +
      (flow === 'down' ? beside : 0),
    height:
      Math.max(0, ...placedBoxes.map(({ y, height }) => y + height)) -
      top +
      (flow === 'right' ? beside : 0),
  }
}

/** Edges that close a circle, seen from the first node. */
function leadingBack(nodes: readonly Node[], wires: readonly LevelWire[]): ReadonlySet<LevelWire> {
  const from = grouped(wires, ({ source }) => source)
  const reached = new Set(wires.map(({ target }) => target))
  const back = new Set<LevelWire>()
  const state = new Map<string, 'open' | 'done'>()
  const walk = (id: string): void => {
    state.set(id, 'open')
    for (const wire of from.get(id) ?? []) {
      const known = state.get(wire.target)
      if (known === 'open') back.add(wire)
      else if (known === undefined) walk(wire.target)
    }
    state.set(id, 'done')
  }
  for (const { id } of nodes) if (!reached.has(id) && !state.has(id)) walk(id)
  for (const { id } of nodes) if (!state.has(id)) walk(id)
  return back
}

const frameSize = (inner: Size, block: DrawnBlock, head: string): Size => ({
  width: Math.max(inner.width, head.length * CHAR + 40) + 2 * PAD,
  height: inner.height + headHeight(block) + PAD,
})

const moved = ({ x, y }: Point, by: Point): Point => ({ x: x + by.x, y: y + by.y })

interface Ends {
  readonly from: Box
  readonly to: Box
}

function drawn(
  { source, target, label }: Wire,
  index: number,
  { from, to }: Ends,
  bend: Bend | undefined,
  flow: Flow,
): Line {
  const isRight = flow === 'right'
  const isBack = !bend || (isRight ? to.x < from.x + from.width : to.y < from.y + from.height)
  const told = { id: `${index} ${source} ${target}`, source, target, label, isBack }
  if (isBack) {
    const points = around(from, to, flow, reachOf(label, flow))
    return { ...told, path: bow(points, isRight), middle: middleOf(points, isRight) }
  }
  const [start, end] = [sideOf(from, isRight, 1), sideOf(to, isRight, 0)]
  return {
    ...told,
    path: smooth([start, ...bend.points.slice(1, -1), end], isRight),
    middle: bend.label ?? { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 },
  }
}

/** The middle of the side where edges leave (1) or come (0). */
const sideOf = ({ x, y, width, height }: Box, isRight: boolean, end: 0 | 1): Point =>
  isRight ? { x: x + end * width, y: y + height / 2 } : { x: x + width / 2, y: y + end * height }

/** Beside both ends, where no other edge goes: from, the control of the curve, to. */
function around(from: Box, to: Box, flow: Flow, reach: number): readonly [Point, Point, Point] {
  if (flow === 'right') {
    const start = { x: from.x + from.width / 2, y: from.y + from.height }
    const end = { x: to.x + to.width / 2, y: to.y + to.height }
    const y = controlOf(start.y, end.y, reach)
    return [start, { x: (start.x + end.x) / 2, y }, end]
  }
  const start = { x: from.x + from.width, y: from.y + from.height / 2 }
  const end = { x: to.x + to.width, y: to.y + to.height / 2 }
  const x = controlOf(start.x, end.x, reach)
  return [start, { x, y: (start.y + end.y) / 2 }, end]
}

/** How large a label is across the flow. */
const labelSize = (label: string, flow: Flow): number => {
  if (label === '') return 0
  return flow === 'down' ? label.length * LABEL.width : LABEL.height
}

/** How far the middle of an edge that leads back lies beside what it goes around. */
const reachOf = (label: string, flow: Flow): number =>
  Math.max(BOW, SPARE + labelSize(label, flow) / 2)

/** So that the curve's middle lies as far beside the farther end: there it is (start + 6 control + end) / 8. */
const controlOf = (start: number, end: number, reach: number): number =>
  (8 * (Math.max(start, end) + reach) - start - end) / 6

function bow([start, control, end]: readonly [Point, Point, Point], isRight: boolean): string {
  return isRight
    ? `M${start.x} ${start.y}C${start.x} ${control.y} ${end.x} ${control.y} ${end.x} ${end.y}`
    : `M${start.x} ${start.y}C${control.x} ${start.y} ${control.x} ${end.y} ${end.x} ${end.y}`
}

/** The middle of that curve. */
const middleOf = (
  [start, control, end]: readonly [Point, Point, Point],
  isRight: boolean,
): Point =>
  isRight
    ? { x: control.x, y: (start.y + 6 * control.y + end.y) / 8 }
    : { x: (start.x + 6 * control.x + end.x) / 8, y: control.y }

/** Each part leaves and comes along the flow. */
function smooth([first, ...rest]: readonly Point[], isRight: boolean): string {
  if (!first) return ''
  let path = `M${first.x} ${first.y}`
  let before = first
  for (const point of rest) {
    const half = isRight ? (before.x + point.x) / 2 : (before.y + point.y) / 2
    path += isRight
      ? `C${half} ${before.y} ${half} ${point.y} ${point.x} ${point.y}`
      : `C${before.x} ${half} ${point.x} ${half} ${point.x} ${point.y}`
    before = point
  }
  return path
}
