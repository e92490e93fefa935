import { describe, expect, it } from 'vitest'

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
    const picture = pictureOf(team, () => '#123456', 'No name yet')
    const document = parsed(picture.svg)
    expect(document.querySelectorAll('circle')).toHaveLength(3)
    expect(document.querySelectorAll('path[marker-end]')).toHaveLength(3)
    expect(picture.width).toBeGreaterThan(600)
  })

  it('takes what somebody wrote as text', () => {
    const hostile = agent('a1', {
      role: role({ name: '<script>alert(1)</script> & "', prompt: ']]>\u0000</text>' }),
    })
    const { svg } = pictureOf({ ...EMPTY, agents: [hostile] }, () => 'red', '')
    const document = parsed(svg)
    expect(document.querySelector('script')).toBeNull()
    expect(document.querySelectorAll('text')[0]?.textContent).toContain('<script>')
  })

  it('is small and empty where there is nothing', () => {
    const picture = pictureOf(EMPTY, () => 'red', '')
    expect(parsed(picture.svg).querySelectorAll('circle')).toHaveLength(0)
    expect([picture.width, picture.height]).toEqual([64, 64])
  })
})
