import { describe, expect, it } from 'vitest'

import { causesOf, saidBy, whyOf, WHYS } from '@/features/evaluations/why'

const arm = {
  label: 'team',
  wrong: 8,
  failed: 2,
  categories: [
    { category: 'slight_deviation', by: 'rule', judge: null, count: 5 },
    { category: 'slight_deviation', by: 'judge', judge: 'clever-7b', count: 1 },
    { category: null, by: 'unjudged', judge: null, count: 2 },
  ],
} as const

describe('causesOf', () => {
  it('says of each cause who found it, and its share of the wrong answers', () => {
    const told = causesOf(arm).map(({ name, by, count, share }) => [name, by, count, share])
    expect(told).toEqual([
      ['Slightly off', 'by rule', 5, 0.625],
      ['Slightly off', 'judged by clever-7b', 1, 0.125],
      ['Undecided', '', 2, 0.25],
      ['An error prevented the answer', '', 2, null],
    ])
  })

  it('leads to the answers behind the number', () => {
    expect(causesOf(arm).map(({ search }) => search)).toEqual([
      { tab: 'answers', arm: 'team', verdict: 'wrong', why: 'slight_deviation' },
      { tab: 'answers', arm: 'team', verdict: 'wrong', why: 'slight_deviation' },
      { tab: 'answers', arm: 'team', verdict: 'wrong', why: 'undecided' },
      { tab: 'answers', arm: 'team', verdict: 'failed' },
    ])
  })

  it('has a key of its own for each', () => {
    expect(new Set(causesOf(arm).map(({ key }) => key)).size).toBe(4)
  })

  it('is empty where nothing went wrong', () => {
    expect(causesOf({ label: 'team', wrong: 0, failed: 0, categories: [] })).toEqual([])
  })
})

describe('whyOf', () => {
  it('knows every cause and nothing else', () => {
    expect(WHYS.map(whyOf)).toEqual(WHYS)
    expect(whyOf('bad_luck')).toBeNull()
    expect(whyOf(null)).toBeNull()
  })
})

describe('saidBy', () => {
  it('names a judge only with its model', () => {
    expect(saidBy('judge', null)).toBe('')
    expect(saidBy('unjudged', 'clever-7b')).toBe('')
  })
})
