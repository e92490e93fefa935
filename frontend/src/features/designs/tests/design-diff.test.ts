import { describe, expect, it } from 'vitest'

import { diffOf, isEmpty } from '@/features/designs/design-diff'
import {
  changeAgent,
  changeRole,
  moveAgents,
  setScript,
  setTemperature,
} from '@/features/designs/edits'

import { design } from './support'

const ids = (agents: readonly { id: string }[]): string[] => agents.map(({ id }) => id)

describe('what has changed', () => {
  it('is nothing between the same, wherever the cards stand', () => {
    const before = design('ab', 'ab')
    expect(isEmpty(diffOf(before, design('ab', 'ab')))).toBe(true)
    const moved = moveAgents(before, new Map([['a', { x: 9, y: 9 }]]))
    expect(isEmpty(diffOf(before, moved))).toBe(true)
  })

  it('is who came, who went, and who reads whom', () => {
    const diff = diffOf(design('abc', 'ab bc'), design('abd', 'ab ad'))
    expect([ids(diff.added), ids(diff.removed)]).toEqual([['d'], ['c']])
    expect(diff.connected).toEqual([{ source: 'a', target: 'd' }])
    expect(diff.disconnected).toEqual([{ source: 'b', target: 'c' }])
  })

  it('is the text of a script, also where a drawing was before', () => {
    const [before, after] = [design('a'), design('', '', { script: 'deliver(1)' })]
    const diff = diffOf(before, after)
    expect(diff.script).toEqual({ field: '', before: '', after: 'deliver(1)' })
    expect([ids(diff.removed), isEmpty(diff)]).toEqual([['a'], false])
    expect(isEmpty(diffOf(after, setScript(after, 'deliver(1)')))).toBe(true)
    expect(isEmpty(diffOf(after, setScript(after, 'deliver(2)')))).toBe(false)
  })

  it('is every field of an agent with both its values', () => {
    const before = design('a')
    const after = changeAgent(changeRole(before, 'a', { prompt: 'New.', tools: ['vote'] }), 'a', {
      endpoint: 'large',
    })
    expect(diffOf(before, after).changed[0]?.fields).toEqual([
      { field: 'prompt', before: 'Solve it.', after: 'New.' },
      { field: 'tools', before: '', after: 'vote' },
      { field: 'endpoint', before: '', after: 'large' },
    ])
  })

  it('is who answers', () => {
    const diff = diffOf(design('ab', '', { answer_from: 'a' }), design('ab', '', { summary: true }))
    expect(diff.answer).toEqual({ field: 'answer_from', before: 'A', after: '' })
    expect([diff.summary, isEmpty(diff)]).toEqual([true, false])
    const voting = diffOf(design('ab', '', { vote: ['a', 'b'] }), design('ab'))
    expect(voting.answer?.before).toBe('The vote of A, B')
    const fewer = diffOf(design('ab', '', { vote: ['a', 'b'] }), design('ab', '', { vote: ['b'] }))
    expect(isEmpty(fewer)).toBe(false)
  })

  it('is how agents sample', () => {
    const sampled = setTemperature(design('a'), 'a', 0.7)
    expect(diffOf(design('a'), sampled).changed[0]?.fields).toEqual([
      { field: 'temperature', before: '0', after: '0.7' },
      { field: 'sample', before: '', after: '+0' },
    ])
    const summed = design('a', '', { summary: true })
    const warmer = diffOf(summed, { ...summed, summary_temperature: 0.5 })
    expect([warmer.temperature?.after, isEmpty(warmer)]).toEqual(['0.5', false])
  })
})
