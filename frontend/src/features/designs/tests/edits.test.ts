import { describe, expect, it } from 'vitest'

import {
  addAgent,
  addReader,
  align,
  changeRole,
  connect,
  copyOf,
  disconnect,
  distribute,
  EMPTY,
  likelyVoters,
  moveAgents,
  nextId,
  paste,
  placeAll,
  readersOf,
  readsOf,
  removeAgents,
  setAnswer,
  setReads,
  setSummary,
  setTemperature,
  setVote,
  tidyUp,
  type DesignSpec,
  whyNotDrawn,
} from '@/features/designs/edits'

import { agent, design, role } from './support'

const places = (spec: ReturnType<typeof design>) => spec.agents.map(({ x, y }) => [x, y])

describe('agents', () => {
  it('get an id that nobody has', () => {
    expect(nextId([])).toBe('a1')
    expect(nextId(['a2', 'a10', 'solver', 'a3x'])).toBe('a11')
  })

  it('are added where they are dropped, or at a free place', () => {
    const [first, id] = addAgent(EMPTY, role(), { x: 40, y: 80 })
    expect([id, places(first)]).toEqual(['a1', [[40, 80]]])
    const [second] = addAgent(first, role())
    expect(second.agents[0]).toBe(first.agents[0])
    expect(places(second)[1]).not.toContain(null)
    expect(places(second)[1]).not.toEqual([40, 80])
  })

  it('may read another one from the first, to the right of it', () => {
    const [drawn, id] = addReader(design('a'), role(), 'a')
    expect(drawn.edges).toEqual([{ source: 'a', target: id }])
    expect(drawn.agents[1]?.x).toBeGreaterThan(216)
    expect(addReader(design('a'), role(), null)[0].edges).toEqual([])
  })

  it('draw a sample of their own once their temperature is above 0', () => {
    const one = setTemperature(design('abc'), 'a', 0.7)
    const two = setTemperature(one, 'b', 1)
    const sampling = ({ agents }: DesignSpec) =>
      agents.map(({ temperature, sample }) => [temperature, sample])
    expect(sampling(two)).toEqual([
      [0.7, 0],
      [1, 1],
      [0, null],
    ])
    expect(sampling(setTemperature(two, 'b', 0.5))[1]).toEqual([0.5, 1])
    expect(sampling(setTemperature(two, 'a', 0))[0]).toEqual([0, null])
    expect(setTemperature(two, 'a', 0.7)).toBe(two)
    const [pasted] = paste(two, copyOf(two, new Set(['a', 'c'])))
    expect(sampling(pasted).slice(3)).toEqual([
      [0.7, 2],
      [0, null],
    ])
  })

  it('answer in one way: by one of them, by a vote, or by a summary', () => {
    const voting = setVote(design('abc', 'ab', { answer_from: 'a' }), ['b', 'c'])
    const way = ({ answer_from, summary, vote }: DesignSpec) => [answer_from, summary, vote]
    expect(way(voting)).toEqual([null, false, ['b', 'c']])
    expect(way(setAnswer(voting, 'a'))).toEqual(['a', false, []])
    expect(way(setSummary(voting, true))).toEqual([null, true, []])
    expect(way(setSummary(voting, false))).toEqual(way(voting))
    expect(removeAgents(voting, new Set(['c'])).vote).toEqual(['b'])
  })

  it('are likely to vote if nobody reads them', () => {
    expect(likelyVoters(design('abc', 'ab'))).toEqual(['b', 'c'])
    expect(likelyVoters(design('abc', 'ab bc'))).toEqual(['a', 'b', 'c'])
  })

  it('take their edges and their answer with them', () => {
    const left = removeAgents(design('abc', 'ab bc', { answer_from: 'b' }), new Set(['b']))
    expect([left.agents.map(({ id }) => id), left.edges, left.answer_from]).toEqual([
      ['a', 'c'],
      [],
      null,
    ])
    const same = design('ab')
    expect(removeAgents(same, new Set(['z']))).toBe(same)
  })

  it('change their role alone', () => {
    const changed = changeRole(design('ab'), 'b', { prompt: 'Check it.' })
    expect(changed.agents[1]?.role.prompt).toBe('Check it.')
    expect(changed.agents[1]?.role.name).toBe('B')
  })
})

describe('edges', () => {
  it('are refused with a reason where an agent would read itself, or another one twice', () => {
    const one = connect(design('ab'), { source: 'a', target: 'b' })
    expect(whyNotDrawn(one, { source: 'a', target: 'a' })).toBe('itself')
    expect(whyNotDrawn(one, { source: 'a', target: 'b' })).toBe('twice')
    expect(whyNotDrawn(one, { source: 'b', target: 'a' })).toBeNull()
  })

  it('are drawn once, between two that are there', () => {
    const one = connect(design('ab'), { source: 'a', target: 'b' })
    expect(one.edges).toHaveLength(1)
    for (const edge of ['ab', 'aa', 'az', 'za'])
      expect(connect(one, { source: edge[0] ?? '', target: edge[1] ?? '' })).toBe(one)
    expect(connect(one, { source: 'b', target: 'a' }).edges).toHaveLength(2)
  })

  it('can be chosen as whom an agent reads', () => {
    const drawn = setReads(design('abcd', 'ad bd'), 'd', ['b', 'c'])
    expect(readsOf(drawn, 'd')).toEqual(['b', 'c'])
    expect(readersOf(drawn, 'a')).toEqual([])
    expect(setReads(drawn, 'd', ['b', 'c'])).toBe(drawn)
  })

  it('are removed by name', () => {
    const drawn = design('abc', 'ab bc')
    expect(disconnect(drawn, new Set(['a→b'])).edges).toEqual([{ source: 'b', target: 'c' }])
    expect(disconnect(drawn, new Set(['c→a']))).toBe(drawn)
  })
})

describe('copies', () => {
  it('have ids of their own, the edges among them, and stand aside', () => {
    const drawn = design('abc', 'ab bc')
    const [pasted, ids] = paste(drawn, copyOf(drawn, new Set(['a', 'b'])))
    expect(ids).toEqual(['a1', 'a2'])
    expect(pasted.edges.slice(2)).toEqual([{ source: 'a1', target: 'a2' }])
    expect(places(pasted).slice(3)).toEqual([
      [32, 32],
      [332, 32],
    ])
  })

  it('cover nothing that stands there, however often they are pasted', () => {
    const drawn = design('a')
    const clip = copyOf(drawn, new Set(['a']))
    const [once] = paste(drawn, clip)
    const [twice] = paste(once, clip)
    expect(places(twice)).toEqual([
      [0, 0],
      [32, 32],
      [64, 64],
    ])
  })

  it('go into another design, too', () => {
    const [pasted, ids] = paste(EMPTY, copyOf(design('ab', 'ab'), new Set(['b'])))
    expect([ids, pasted.edges]).toEqual([['a1'], []])
  })
})

describe('places', () => {
  it('change only where something moved', () => {
    const drawn = design('ab')
    expect(moveAgents(drawn, new Map([['a', { x: 0, y: 0 }]]))).toBe(drawn)
    const moved = moveAgents(drawn, new Map([['a', { x: 5, y: 6 }]]))
    expect(places(moved)).toEqual([
      [5, 6],
      [300, 0],
    ])
    expect(moved.agents[1]).toBe(drawn.agents[1])
  })

  it.each([
    ['left', [0, 0, 600]],
    ['right', [300, 300, 600]],
    ['centre', [150, 150, 600]],
  ] as const)('line up at the %s', (side, xs) => {
    const aligned = align(design('abc'), new Set(['a', 'b']), side)
    expect(aligned.agents.map(({ x }) => x)).toEqual(xs)
  })

  it('need two to line up, and three for equal gaps', () => {
    const drawn = design('abc')
    expect(align(drawn, new Set(['a']), 'top')).toBe(drawn)
    expect(distribute(drawn, new Set(['a', 'b']), 'x')).toBe(drawn)
    const uneven = { ...drawn, agents: [agent('a'), agent('b', { x: 10 }), agent('c', { x: 600 })] }
    expect(distribute(uneven, new Set(['a', 'b', 'c']), 'x').agents.map(({ x }) => x)).toEqual([
      0, 300, 600,
    ])
  })

  it('are found for whoever has none, also where arrows go in circles', () => {
    const nowhere = design('abc', 'ab bc ca')
    const placed = placeAll({
      ...nowhere,
      agents: nowhere.agents.map((each) => ({ ...each, x: null, y: null })),
    })
    const distinct = new Set(places(placed).map(String))
    expect(distinct.size).toBe(3)
    expect(placeAll(placed)).toBe(placed)
    expect(tidyUp(placed).agents).toHaveLength(3)
  })

  it('follow the arrows to the right when tidied', () => {
    const [a, b, c] = tidyUp(design('cba', 'ab bc'))
      .agents.map(({ x }) => x ?? 0)
      .toReversed()
    expect([(a ?? 0) < (b ?? 0), (b ?? 0) < (c ?? 0)]).toEqual([true, true])
  })
})
