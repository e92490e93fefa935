import { describe, expect, it } from 'vitest'

import { DEFAULT_LAYOUT, place, type LayoutOptions, type Positions } from '@/graph/layout'
import { Router } from '@/graph/route'

const { width, height } = DEFAULT_LAYOUT

/** The points that a path visits: its start and the end of each piece. */
function visited(path: string): { x: number; y: number }[] {
  return path.split(/(?=[MLC])/).map((piece) => {
    const [x = 0, y = 0] = (piece.slice(1).split(' ').at(-1) ?? '').split(',').map(Number)
    return { x, y }
  })
}

function chain(options: LayoutOptions): Positions {
  const nodes = [
    { id: 'a', reads: [] },
    { id: 'b', reads: ['a'] },
    { id: 'c', reads: ['b'] },
  ]
  return place(nodes, new Map(), options)
}

describe('an edge that points back', () => {
  it.each(['right', 'down'] as const)('passes outside of everybody, layout %s', (direction) => {
    const options = { ...DEFAULT_LAYOUT, direction }
    const positions = chain(options)
    const route = new Router(positions, options).back('c', 'a')
    const [from, to] = [positions.get('c'), positions.get('a')]
    const outer = (x: number, y: number) => (direction === 'right' ? y : x)
    const rim = Math.min(...[...positions.values()].map(({ x, y }) => outer(x, y)))
    expect(outer(route?.middle.x ?? 0, route?.middle.y ?? 0)).toBeLessThan(rim)
    const [start, end] = visited(route?.path ?? '')
    const middleOf = (point = { x: 0, y: 0 }) =>
      direction === 'right'
        ? { x: point.x + width / 2, y: point.y }
        : { x: point.x, y: point.y + height / 2 }
    expect([start, end]).toEqual([middleOf(from), middleOf(to)])
  })

  it('is nowhere where one of the two is not placed', () => {
    expect(new Router(chain(DEFAULT_LAYOUT), DEFAULT_LAYOUT).back('c', 'nobody')).toBeNull()
  })
})

describe('the route of an edge', () => {
  it('goes from the output side to the input side of neighbours', () => {
    const positions = chain(DEFAULT_LAYOUT)
    const points = visited(new Router(positions, DEFAULT_LAYOUT).route('a', 'b')?.path ?? '')
    expect(points).toEqual([
      { x: width, y: height / 2 },
      { x: positions.get('b')?.x, y: height / 2 },
    ])
  })

  it.each(['right', 'down'] as const)('passes a node in between, layout %s', (direction) => {
    const options = { ...DEFAULT_LAYOUT, direction }
    const positions = chain(options)
    const between = positions.get('b') ?? { x: 0, y: 0 }
    const points = visited(new Router(positions, options).route('a', 'c')?.path ?? '')
    expect(points).toHaveLength(4)
    for (const point of points) {
      const isBehind =
        point.x > between.x &&
        point.x < between.x + width &&
        point.y > between.y &&
        point.y < between.y + height
      expect(isBehind).toBe(false)
    }
  })

  it('takes the gap between two nodes when that is nearest', () => {
    const positions: Positions = new Map([
      ['a', { x: 0, y: 0 }],
      ['over', { x: 300, y: -90 }],
      ['under', { x: 300, y: 70 }],
      ['c', { x: 600, y: 0 }],
    ])
    const [, enters, leaves] = visited(
      new Router(positions, DEFAULT_LAYOUT).route('a', 'c')?.path ?? '',
    )
    expect(enters?.y).toBe(leaves?.y)
    expect(enters?.y).toBeGreaterThanOrEqual(-90 + height)
    expect(enters?.y).toBeLessThanOrEqual(70)
  })

  it('knows no route to a node that is not placed', () => {
    expect(new Router(chain(DEFAULT_LAYOUT), DEFAULT_LAYOUT).route('a', 'nobody')).toBeNull()
  })
})
