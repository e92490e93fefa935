import { describe, expect, it } from 'vitest'

import { spentRows } from '@/features/compare/rows'

describe('what both sides took', () => {
  it('comes with by how much the right one is more; unknown stays unknown', () => {
    const left = { usage: { promptTokens: 100, completionTokens: 20, cost: null }, seconds: 2 }
    const right = { usage: { promptTokens: 80, completionTokens: 50, cost: 0.5 }, seconds: 2.0001 }
    expect(spentRows([left, right]).map((row) => [...row.values, row.difference])).toEqual([
      ['100', '80', '−20'],
      ['20', '50', '+30'],
      ['120', '130', '+10'],
      ['—', '$0.50', ''],
      ['2.0 s', '2.0 s', ''],
    ])
  })

  it('is nothing known of an agent that one side does not have', () => {
    const left = { usage: { promptTokens: 1, completionTokens: 1, cost: 0 }, seconds: 1 }
    for (const { values, difference } of spentRows([left, null]))
      expect([values[1], difference]).toEqual(['—', ''])
  })
})
