import { describe, expect, it } from 'vitest'

import { FAMILIES } from '@/families/all'
import { searchTrace } from '@/graph/search'
import { traceTree, visibleRows, type TraceNode } from '@/graph/tree'

import { agentFinished, agentStarted, recording, replay, trace } from './frames'

const roots = traceTree(replay(recording('mashost')), FAMILIES)
const all = (nodes: readonly TraceNode[]): TraceNode[] =>
  nodes.flatMap((node) => [node, ...all(node.children)])

describe('a search in the trace', () => {
  it('finds words in whole messages and prompts, not only in what a row shows', () => {
    const message = all(roots).find((node) => node.kind === 'message')
    if (!message) throw new Error('no message')
    const words = message.whole().trim().slice(-12)
    const { hits } = searchTrace(roots, words.toUpperCase())
    expect(hits.get(message.id)?.match).toBe(words.replaceAll(/\s+/g, ' ').trim())
  })

  it('keeps what leads to a hit and nothing else', () => {
    const { roots: kept, hits } = searchTrace(roots, 'prompt')
    const rows = visibleRows(kept, () => true)
    expect(hits.size).toBeGreaterThan(0)
    for (const { node } of rows) {
      const below = all(node.children).some(({ id }) => hits.has(id))
      expect(hits.has(node.id) || below).toBe(true)
    }
    expect(rows.length).toBeLessThan(all(roots).length)
  })

  it('reads over line breaks, and shows what stands around', () => {
    const started = agentStarted('a1', 1)
    const finished = agentFinished('a1', 2)
    if (finished.event !== 'agent_finished') throw new Error('not finished')
    const long = `${'before '.repeat(20)}the\n  needle ${'after '.repeat(80)}`
    const view = replay([trace(1, started), trace(2, { ...finished, message: long })])
    const { hits } = searchTrace(traceTree(view, FAMILIES), 'the needle')
    const [hit] = hits.values()
    expect(hit?.match).toBe('the needle')
    expect(hit?.before).toMatch(/^….*before $/)
    expect(hit?.after).toMatch(/^ after .*…$/)
  })

  it('shows what was found also behind letters that lower case makes longer', () => {
    const finished = agentFinished('a1', 2)
    if (finished.event !== 'agent_finished') throw new Error('not finished')
    const message = 'İİİİ is Turkish, and the needle stands behind it'
    const view = replay([trace(1, agentStarted('a1', 1)), trace(2, { ...finished, message })])
    const [hit] = searchTrace(traceTree(view, FAMILIES), 'THE Needle').hits.values()
    expect(hit?.match).toBe('the needle')
    expect(hit?.after).toBe(' stands behind it')
  })

  it('takes signs of patterns as they stand', () => {
    const finished = agentFinished('a1', 2)
    if (finished.event !== 'agent_finished') throw new Error('not finished')
    const message = String.raw`(a+b)*[c] costs $5? {x|y} \d ^2.`
    const view = replay([trace(1, agentStarted('a1', 1)), trace(2, { ...finished, message })])
    expect(searchTrace(traceTree(view, FAMILIES), message).hits.size).toBe(1)
    expect(searchTrace(traceTree(view, FAMILIES), 'a.b').hits.size).toBe(0)
  })

  it('finds nothing where nothing is', () => {
    const { roots: kept, hits } = searchTrace(roots, 'no such words (.*')
    expect(kept).toEqual([])
    expect(hits.size).toBe(0)
  })
})
