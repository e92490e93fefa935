import { describe, expect, it } from 'vitest'

import { layered, spaced } from '@/graph/layered'
import type { LayoutNode } from '@/graph/layout'
import { tidy } from '@/graph/tidy'

const row = (count: number): LayoutNode[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `n${index}`,
    reads: index === 0 ? [] : [`n${index - 1}`],
  }))

describe('the layout of a large graph', () => {
  it('draws a chain as a straight line, one column each', () => {
    const places = [...layered(row(500)).values()]
    expect(places.map(({ column }) => column)).toEqual(places.map((_, index) => index))
    expect(new Set(places.map(({ row: at }) => at))).toEqual(new Set([0]))
  })

  it('stands a reader between those that it reads, and a team evenly around its chief', () => {
    const nodes = [
      { id: 'chief', reads: [] },
      ...['a', 'b', 'c'].map((id) => ({ id, reads: ['chief'] })),
      { id: 'last', reads: ['a', 'b', 'c'] },
    ]
    const places = layered(nodes)
    expect(['a', 'b', 'c'].map((id) => places.get(id)?.row)).toEqual([-1, 0, 1])
    expect(places.get('last')).toEqual({ column: 2, row: 0 })
  })

  it('crosses no lines that need not cross', () => {
    const ladder = ['a', 'b', 'c', 'd'].flatMap((name, at) => [
      { id: name, reads: [] },
      { id: `${name}1`, reads: [name] },
      // In the other order, so that the one of the nodes alone would cross them all.
      { id: `${'dcba'[at] ?? ''}2`, reads: [`${'dcba'[at] ?? ''}1`] },
    ])
    const places = layered(ladder)
    for (const step of ['', '1', '2'])
      expect(['a', 'b', 'c', 'd'].map((name) => places.get(`${name}${step}`)?.row)).toEqual([
        0, 1, 2, 3,
      ])
  })

  it('takes circles and edges from nowhere as they come', () => {
    const places = layered([
      { id: 'a', reads: ['c', 'nobody'] },
      { id: 'b', reads: ['a'] },
      { id: 'c', reads: ['b', 'c'] },
    ])
    expect(places.size).toBe(3)
    expect(new Set([...places.values()].map(({ column }) => column)).size).toBe(3)
  })

  it('is the one that tidies hundreds, and readers stand behind what they read', () => {
    const nodes = row(300).map((node, index) => ({
      ...node,
      reads: index % 7 === 0 ? [] : [...node.reads, `n${Math.floor(index / 2)}`],
    }))
    const begun = performance.now()
    const positions = tidy(nodes)
    expect(performance.now() - begun).toBeLessThan(1_000)
    for (const { id, reads } of nodes)
      for (const source of reads)
        if (source !== id)
          expect(positions.get(id)?.x).toBeGreaterThan(positions.get(source)?.x ?? Infinity)
  })
})

it('keeps rows apart and as near as can be to where they want to be', () => {
  expect(spaced([0, 5, 9])).toEqual([0, 5, 9])
  expect(spaced([0, 0, 0])).toEqual([-1, 0, 1])
  expect(spaced([3, 3, 10, 10])).toEqual([2.5, 3.5, 9.5, 10.5])
})
