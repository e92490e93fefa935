import { describe, expect, it } from 'vitest'

import { text } from '@/strings/designs'
import { EMPTY } from '@/features/designs/edits'
import { pictureOf } from '@/features/designs/picture'

import { agent, design, role } from './support'

const parsed = (svg: string): Document => {
  const document = new DOMParser().parseFromString(svg, 'image/svg+xml')
  expect(document.querySelector('parsererror')).toBeNull()
  return document
}

describe('a design as a picture', () => {
  it('has a card per agent, an arrow per edge, and room for all of them', () => {
    const team = design('abc', 'ab bc ca')
    const picture = pictureOf(team, () => '#123456', text.canvas)
    const document = parsed(picture.svg)
    expect(document.querySelectorAll('circle')).toHaveLength(3)
    expect(document.querySelectorAll('path[marker-end]')).toHaveLength(3)
    expect(picture.width).toBeGreaterThan(600)
  })

  it('takes what somebody wrote as text', () => {
    const hostile = agent('a1', {
      role: role({ name: '<script>alert(1)</script> & "', prompt: ']]>\u0000</text>' }),
    })
    const { svg } = pictureOf({ ...EMPTY, agents: [hostile] }, () => 'red', text.canvas)
    const document = parsed(svg)
    expect(document.querySelector('script')).toBeNull()
    expect(document.querySelectorAll('text')[0]?.textContent).toContain('<script>')
  })

  it('is small and empty where there is nothing', () => {
    const picture = pictureOf(EMPTY, () => 'red', text.canvas)
    expect(parsed(picture.svg).querySelectorAll('circle')).toHaveLength(0)
    expect([picture.width, picture.height]).toEqual([64, 64])
  })

  it('says what runs: tools, endpoint, whose answer counts, and whom a person speaks for', () => {
    const busy = agent('a', {
      endpoint: 'large',
      role: role({ tools: ['calculator', 'person', 'vote'] }),
    })
    const { svg } = pictureOf(
      { ...EMPTY, agents: [busy, agent('b', { x: 300 })], answer_from: 'b' },
      () => 'red',
      text.canvas,
    )
    const [first, second] = [...parsed(svg).querySelectorAll('g g')].map((card) => card.textContent)
    expect(first).toContain('uses calculator, vote')
    expect(first).toContain('asks a person · ')
    expect(first).not.toContain('answers')
    expect(second).toContain('answers')
  })

  it('has the summary agent, which reads all of them', () => {
    const team = design('abc', 'ab', { summary: true })
    const { svg, width } = pictureOf(team, () => 'red', text.canvas)
    const document = parsed(svg)
    expect(document.querySelectorAll('path[stroke-dasharray]')).toHaveLength(3)
    expect(document.querySelectorAll('path[marker-end]')).toHaveLength(4)
    expect(svg).toContain('reads all agents and answers')
    const alone = pictureOf({ ...team, summary: false }, () => 'red', text.canvas)
    expect(width).toBeGreaterThan(alone.width)
  })

  it('has the count of a vote, which reads who votes, and says who samples', () => {
    const team = design('abc', '', { vote: ['a', 'c'] })
    const [first, ...rest] = team.agents
    const agents = first ? [{ ...first, temperature: 0.7 }, ...rest] : rest
    const { svg } = pictureOf({ ...team, agents }, () => 'red', text.canvas)
    const document = parsed(svg)
    expect(document.querySelectorAll('path[stroke-dasharray]')).toHaveLength(2)
    const cards = [...document.querySelectorAll('g g')].map((card) => card.textContent)
    expect(cards.map((card) => card.includes('votes'))).toEqual([true, false, true, false])
    expect(cards[0]).toContain('samples at temperature')
    expect(cards[3]).toContain('the most frequent answer counts')
  })
})
