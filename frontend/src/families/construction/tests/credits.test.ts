import { describe, expect, it } from 'vitest'

import { creditsOf } from '@/families/construction/credits'

const sample = { reward_parts: { group: 0.9, action: [0.5, 0.1], advantage: [0.2, -0.4] } }

describe('a sampled system', () => {
  it('has the advantage of each action, and its share of the largest', () => {
    expect(creditsOf(sample)).toEqual([
      { step: 1, reward: 0.5, advantage: 0.2, relative: 0.5 },
      { step: 2, reward: 0.1, advantage: -0.4, relative: -1 },
    ])
    const flat = { reward_parts: { group: 0, action: [0], advantage: [0] } }
    expect(creditsOf(flat)[0]?.relative).toBe(0)
  })
})
