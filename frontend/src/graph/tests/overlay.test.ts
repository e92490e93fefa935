import { describe, expect, it } from 'vitest'

import type { Frame, RunEvent } from '@/graph/frames'
import { isSaidOtherwise, overlayOf, swappedId } from '@/graph/overlay'
import { currentAttempt, emptyRun, type AttemptView } from '@/graph/run-view'

import { agentStarted, applyFrame, trace } from './frames'

/** `run('a:planner', 'b:solver<a')`: b reads a. */
function run(...agents: string[]): AttemptView {
  const frames = agents.map((agent, index): Frame => {
    const [who = '', reads = ''] = agent.split('<')
    const [id = '', role = ''] = who.split(':')
    const started = agentStarted(id, index, reads === '' ? [] : reads.split(','))
    return trace(index + 1, { ...started, role_key: role, role_name: role } as RunEvent)
  })
  const attempt = currentAttempt(frames.reduce(applyFrame, emptyRun('r')))
  if (!attempt) throw new Error('nobody started')
  return attempt
}

const told = (left: AttemptView | null, right: AttemptView | null) => {
  const { nodes, edges } = overlayOf(left, right)
  return {
    nodes: nodes.map(({ id, side }) => `${id} ${side}`),
    edges: edges.map(({ id, side }) => `${id} ${side}`),
  }
}

describe('two graphs laid over each other', () => {
  const chain = run('a:planner', 'b:solver<a', 'c:critic<b')

  it('are one where they are the same', () => {
    expect(told(chain, chain)).toEqual({
      nodes: ['a both', 'b both', 'c both'],
      edges: ['a b both', 'b c both'],
    })
  })

  it('tell who was left out and who was added', () => {
    expect(told(chain, run('a:planner', 'b:solver<a', 'd:judge<a,b'))).toEqual({
      nodes: ['a both', 'b both', 'c left', 'right:d right'],
      edges: ['a b both', 'b c left', 'a right:d right', 'b right:d right'],
    })
  })

  it('match by role where the ids are others, each agent once', () => {
    expect(told(chain, run('x:critic', 'y:solver<x', 'z:solver<x'))).toEqual({
      nodes: ['a left', 'b both', 'c both', 'right:z right'],
      edges: ['a b left', 'b c left', 'c b right', 'c right:z right'],
    })
  })

  it('an id alone does not make two agents one', () => {
    expect(told(run('a:planner'), run('a:critic')).nodes).toEqual(['a left', 'right:a right'])
  })

  it('with nothing on one side are the other one', () => {
    expect(told(null, run('a:planner')).nodes).toEqual(['right:a right'])
    expect(told(null, null)).toEqual({ nodes: [], edges: [] })
  })

  it('come in an order in which whoever is read stands before, but for a circle', () => {
    const right = run('d:judge', 'c:critic<d', 'b:solver<c')
    const { nodes } = overlayOf(chain, right)
    expect(nodes.map(({ id }) => id)).toEqual(['a', 'right:d', 'b', 'c'])
    expect(nodes.find(({ id }) => id === 'b')?.reads).toEqual(['a', 'c'])
  })

  it('name an agent after the other side once the sides are swapped', () => {
    const right = run('x:critic', 'z:judge')
    const swapped = new Set(overlayOf(right, chain).nodes.map(({ id }) => id))
    const ids = overlayOf(chain, right).nodes.map(swappedId)
    expect(new Set(ids)).toEqual(swapped)
  })

  it('say where an agent of both said something else', () => {
    const [same] = overlayOf(chain, chain).nodes
    if (!same?.left) throw new Error('nobody is there')
    expect(isSaidOtherwise(same)).toBe(false)
    expect(isSaidOtherwise({ ...same, left: { ...same.left, message: 'No.' } })).toBe(true)
    expect(isSaidOtherwise({ ...same, side: 'left', right: null })).toBe(false)
  })
})
