import { describe, expect, it } from 'vitest'

import {
  DEFAULT_LAYOUT,
  place,
  type LayoutNode,
  type LayoutOptions,
  type Positions,
} from '@/graph/layout'
import { tidy } from '@/graph/tidy'

/** mulberry32 */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function randomGraph(size: number, seed: number): LayoutNode[] {
  const next = random(seed)
  const share = next() * 0.4
  return Array.from({ length: size }, (_, index) => ({
    id: `n${index}`,
    reads: Array.from({ length: index }, (_, other) => `n${other}`).filter(() => next() < share),
  }))
}

function overlaps(positions: Positions, options: LayoutOptions): string[] {
  const all = [...positions]
  return all.flatMap(([id, a], index) =>
    all
      .slice(index + 1)
      .filter(
        ([, b]) => Math.abs(a.x - b.x) < options.width && Math.abs(a.y - b.y) < options.height,
      )
      .map(([other]) => `${id}/${other}`),
  )
}

const at = (positions: Positions, id: string) => positions.get(id) ?? { x: NaN, y: NaN }

function sizeOf(positions: Positions): { width: number; height: number } {
  const { width, height } = DEFAULT_LAYOUT
  const [xs, ys] = [
    [...positions.values()].map(({ x }) => x),
    [...positions.values()].map(({ y }) => y),
  ]
  return {
    width: Math.max(...xs) - Math.min(...xs) + width,
    height: Math.max(...ys) - Math.min(...ys) + height,
  }
}

const GRAPHS = [2, 7, 20, 40, 60].flatMap((size) => [1, 2, 3, 4].map((seed) => ({ size, seed })))
const DOWN: LayoutOptions = { ...DEFAULT_LAYOUT, direction: 'down' }

describe('placing a growing graph', () => {
  it.each(GRAPHS)('moves no placed node ($size nodes, seed $seed)', ({ size, seed }) => {
    const nodes = randomGraph(size, seed)
    let positions: Positions = new Map()
    for (let count = 1; count <= size; count += 1) {
      const next = place(nodes.slice(0, count), positions)
      for (const [id, point] of positions) expect(next.get(id)).toBe(point)
      positions = next
    }
  })

  it.each(GRAPHS)(
    'lays no node over another, and readers behind what they read ($size nodes, seed $seed)',
    ({ size, seed }) => {
      const nodes = randomGraph(size, seed)
      const positions = place(nodes, new Map())
      expect(overlaps(positions, DEFAULT_LAYOUT)).toEqual([])
      expect(overlaps(place(nodes, new Map(), DOWN), DOWN)).toEqual([])
      for (const node of nodes) {
        for (const source of node.reads) {
          expect(positions.get(node.id)?.x).toBeGreaterThan(positions.get(source)?.x ?? Infinity)
        }
      }
    },
  )

  it('returns the same positions when nothing is new', () => {
    const nodes = randomGraph(5, 1)
    const positions = place(nodes, new Map())
    expect(place(nodes, positions)).toBe(positions)
  })

  it('goes on without overlap after a person dragged nodes and after a tidy', () => {
    const nodes = randomGraph(30, 9)
    const tidied = tidy(nodes.slice(0, 15))
    const dragged = new Map(tidied).set('n3', { x: 437, y: -211 })
    const positions = place(nodes, dragged)
    const fresh = new Map([...positions].filter(([id]) => !dragged.has(id)))
    expect(overlaps(fresh, DEFAULT_LAYOUT)).toEqual([])
    for (const [id, point] of dragged) expect(positions.get(id)).toBe(point)
  })

  it('puts a reader level with the mean of what it reads', () => {
    const positions = place(
      [
        { id: 'a', reads: [] },
        { id: 'b', reads: [] },
        { id: 'c', reads: ['a', 'b'] },
      ],
      new Map(),
    )
    const [a, b, c] = ['a', 'b', 'c'].map((id) => positions.get(id)?.y ?? NaN)
    expect(c).toBe(((a ?? NaN) + (b ?? NaN)) / 2)
  })

  it('stands agents that come together and read the same in their order', () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const nodes = [{ id: 'q', reads: [] }, ...names.map((id) => ({ id, reads: ['q'] }))]
    const positions = place(nodes, new Map())
    const heights = names.map((id) => positions.get(id)?.y ?? NaN)
    expect(heights).toEqual([...heights].sort((a, b) => a - b))
    expect(new Set(heights).size).toBe(5)
  })

  it.each([7, 12, 24, 30, 100])(
    'stands %i that read the same in rows that fill a canvas',
    (count) => {
      const names = Array.from({ length: count }, (_, index) => `s${index}`)
      const nodes = [
        { id: 'q', reads: [] },
        ...names.map((id) => ({ id, reads: ['q'] })),
        { id: 'answer', reads: names },
      ]
      for (const positions of [place(nodes, new Map()), tidy(nodes)]) {
        expect(overlaps(positions, DEFAULT_LAYOUT)).toEqual([])
        const { width, height } = sizeOf(positions)
        expect(width / height).toBeGreaterThan(0.9)
        expect(width / height).toBeLessThan(2)
        const [first, second] = [at(positions, 's0'), at(positions, 's1')]
        expect(second.y).toBe(first.y)
        expect(second.x).toBeGreaterThan(first.x)
        const furthest = Math.max(...names.map((id) => at(positions, id).x))
        expect(at(positions, 'answer').x).toBeGreaterThan(furthest)
        const middle = (at(positions, 's0').y + at(positions, names.at(-1) ?? '').y) / 2
        expect(Math.abs(at(positions, 'q').y - middle)).toBeLessThan(1)
      }
    },
  )

  it('tidies a crowd to the left of its reader, however they are listed', () => {
    const names = Array.from({ length: 9 }, (_, index) => `s${index}`)
    const nodes = [{ id: 'reader', reads: names }, ...names.map((id) => ({ id, reads: [] }))]
    const positions = tidy(nodes)
    expect(at(positions, 'reader')).toEqual({ x: 0, y: 0 })
    expect(Math.max(...names.map((id) => at(positions, id).x))).toBeLessThan(0)
    expect(new Set(names.map((id) => at(positions, id).x)).size).toBe(2)
  })

  it('keeps one column for six that read the same', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const nodes = [{ id: 'q', reads: [] }, ...names.map((id) => ({ id, reads: ['q'] }))]
    const positions = place(nodes, new Map())
    expect(new Set(names.map((id) => at(positions, id).x)).size).toBe(1)
  })

  it('stands a second crowd clear of the first', () => {
    const crowd = (name: string) =>
      Array.from({ length: 9 }, (_, index) => ({ id: `${name}${index}`, reads: ['q'] }))
    const q = { id: 'q', reads: [] }
    const nodes = [q, ...crowd('a'), { id: 'b', reads: ['a0'] }, ...crowd('c')]
    expect(overlaps(place(nodes, new Map()), DEFAULT_LAYOUT)).toEqual([])
    const early = place(nodes.slice(0, 12), new Map())
    expect(overlaps(place(nodes, early), DEFAULT_LAYOUT)).toEqual([])
  })

  it('runs downwards on narrow screens', () => {
    const positions = place(
      [
        { id: 'a', reads: [] },
        { id: 'b', reads: ['a'] },
      ],
      new Map(),
      DOWN,
    )
    expect(positions.get('b')).toEqual({ x: 0, y: DOWN.height + DOWN.columnGap })
  })
})

describe('tidying', () => {
  // The larger ones are laid out without dagre.
  it.each(GRAPHS)(
    'leaves no overlap ($size nodes, seed $seed)',
    ({ size, seed }) => {
      const positions = tidy(randomGraph(size, seed))
      expect(positions.size).toBe(size)
      expect(overlaps(positions, DEFAULT_LAYOUT)).toEqual([])
    },
    30_000,
  )

  it('keeps the first node where it was', () => {
    expect(tidy(randomGraph(12, 3)).get('n0')).toEqual({ x: 0, y: 0 })
  })
})
