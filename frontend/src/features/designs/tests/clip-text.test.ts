import { describe, expect, it } from 'vitest'

import { clipOfText, isDesign, textOfClip } from '@/features/designs/clip-text'
import { copyOf } from '@/features/designs/edits'

import { agent, design, role } from './support'

const TEAM = design('abc', 'ab bc')
const CLIP = copyOf(TEAM, new Set(['a', 'b']))

/** A clip in which one thing of the design is another. */
const changed = (part: object): string =>
  JSON.stringify({ mas_studio: 'design', name: '', design: { ...design('ab', 'ab'), ...part } })

describe('agents on the clipboard', () => {
  it('come back as they were copied', () => {
    expect(clipOfText(textOfClip(CLIP, 'Mine'))).toEqual({ kind: 'clip', clip: CLIP })
    expect(CLIP.edges).toEqual([{ source: 'a', target: 'b' }])
  })

  it('are told apart from any other text', () => {
    for (const text of ['', 'Hello', '{', '[1]', 'null', '{"agents": []}', '12'])
      expect(clipOfText(text)).toEqual({ kind: 'unknown' })
  })

  it.each<[string, string]>([
    ['cut off', textOfClip(CLIP, 'Mine').slice(0, -20)],
    ['of another kind', JSON.stringify({ mas_studio: 'pool', design: TEAM })],
    ['without a design', JSON.stringify({ mas_studio: 'design' })],
    ['empty', changed({ agents: [], edges: [] })],
    ['a list for an object', changed({ agents: { length: 1 } })],
    ['an unknown field', changed({ on_paste: 'code' })],
    ['an unknown field of an agent', changed({ agents: [{ ...agent('a'), onclick: 'x' }] })],
    ['a field left out', changed({ agents: [{ id: 'a', role: role() }], edges: [] })],
    ['a bad id', changed({ agents: [agent('"]<x>')], edges: [] })],
    ['two agents of one id', changed({ agents: [agent('a'), agent('a')], edges: [] })],
    ['an edge to nobody', changed({ edges: [{ source: 'a', target: 'z' }] })],
    ['an edge twice', changed({ edges: [...TEAM.edges.slice(0, 1), ...TEAM.edges.slice(0, 1)] })],
    ['an answer of nobody', changed({ answer_from: 'z' })],
    ['a newer format', changed({ format: 4 })],
    ['a text for a place', changed({ agents: [agent('a'), { ...agent('b'), x: '1' }] })],
    ['far away', changed({ agents: [agent('a'), agent('b', { x: 1e9 })] })],
    [
      'too long a name',
      changed({ agents: [agent('a', { role: role({ name: 'x'.repeat(121) }) })] }),
    ],
    [
      'a control character',
      changed({ agents: [agent('a', { role: role({ prompt: '\u0000' }) })] }),
    ],
    [
      'an object for a text',
      changed({ agents: [{ ...agent('a'), role: { ...role(), name: {} } }] }),
    ],
    ['too many agents', changed({ agents: Array.from({ length: 501 }, (_, i) => agent(`a${i}`)) })],
  ])('are refused where they are damaged or hostile: %s', (_, text) => {
    expect(clipOfText(text)).toEqual({ kind: 'broken' })
  })

  it('takes a place that is as far as 1e999 for none', () => {
    const text = textOfClip(CLIP, 'Mine').replace('"x": 0', '"x": 1e999')
    expect(clipOfText(text)).toEqual({ kind: 'broken' })
  })

  it('counts letters as the server does', () => {
    const named = (name: string) =>
      design('', '', { agents: [agent('a', { role: role({ name }) })] })
    expect(isDesign(named('🜲'.repeat(120)))).toBe(true)
    expect(isDesign(named('🜲'.repeat(121)))).toBe(false)
  })
})
