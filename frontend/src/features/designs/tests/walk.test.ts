import { describe, expect, it } from 'vitest'

import { heirOf, walk } from '@/features/designs/walk'

import { agent, design } from './support'

/** a is read by b and c, which stand one above the other; d stands alone below them. */
const TEAM = {
  ...design('', 'ab ac'),
  agents: [
    agent('a', { x: 0, y: 0 }),
    agent('b', { x: 300, y: 200 }),
    agent('c', { x: 300, y: 20 }),
    agent('d', { x: 300, y: 400 }),
  ],
}

describe('walking with the arrow keys', () => {
  it('goes along who reads whom, to the nearest in height', () => {
    expect([walk(TEAM, 'a', 'right'), walk(TEAM, 'b', 'left')]).toEqual(['c', 'a'])
  })

  it('goes to who stands there where nobody is connected', () => {
    expect([walk(TEAM, 'c', 'down'), walk(TEAM, 'b', 'up')]).toEqual(['b', 'c'])
    expect([walk(TEAM, 'd', 'left'), walk(TEAM, 'd', 'down')]).toEqual(['a', null])
  })
})

describe('who takes the focus of what is removed', () => {
  it('is who was connected with it, else whoever is left', () => {
    expect(heirOf(TEAM, new Set(['a']))).toBe('b')
    expect(heirOf(TEAM, new Set(['a', 'b', 'c']))).toBe('d')
    expect(heirOf(TEAM, new Set(['d']))).toBe('a')
    expect(heirOf(TEAM, new Set(['a', 'b', 'c', 'd']))).toBeNull()
  })
})
