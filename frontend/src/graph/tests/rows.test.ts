import { describe, expect, it } from 'vitest'

import { FAMILIES } from '@/families/all'
import { Replay } from '@/graph/replay'
import { momentsOfRows, rowIds, rowsOf } from '@/graph/rows'
import { toldAttempt } from '@/graph/run-view'
import { nearestRow, traceTree, visibleRows, type TraceNode } from '@/graph/tree'

import { attemptIn, recording, replay, type Recording } from './frames'

const all = (nodes: readonly TraceNode[]): TraceNode[] =>
  nodes.flatMap((node) => [node, ...all(node.children)])

describe('rows and moments', () => {
  it.each<Recording>([
    'mashost',
    'self-consistency',
    'lost-attempt',
    'subtasks-voted',
    'subtasks-learned',
  ])('every row of %s has the moment that brings it, no child before its parent', (name) => {
    const view = replay(recording(name))
    for (const [index, root] of traceTree(view, FAMILIES).entries()) {
      const attempt = view.attempts[index]
      if (!attempt) throw new Error('no attempt')
      const moments = momentsOfRows(attempt, new Replay(attempt, FAMILIES).moments, FAMILIES)
      const walk = (node: TraceNode, after: number): void => {
        const at = moments.get(node.id)
        expect(at, node.id).toBeGreaterThanOrEqual(after)
        for (const child of node.children) walk(child, at ?? 0)
      }
      walk(root, 0)
    }
  })

  it.each<Recording>(['mashost', 'subtasks-voted'])('every moment of %s has a row', (name) => {
    const view = replay(recording(name))
    const attempt = attemptIn(view)
    const ids = new Set(all(traceTree(view, FAMILIES)).map(({ id }) => id))
    for (const { event } of new Replay(attempt, FAMILIES).moments)
      expect(ids).toContain(rowsOf(attempt.attempt, event, FAMILIES)[0])
  })

  it('a row below a closed branch is seen at the branch', () => {
    const roots = traceTree(replay(recording('mashost')), FAMILIES)
    const rows = visibleRows(roots, ({ kind }) => kind === 'attempt')
    expect(nearestRow(rows, roots, rowIds.message(1, 'a1'))).toBe(rowIds.own(1, 'step-1'))
    const open = visibleRows(roots, () => true)
    expect(nearestRow(open, roots, rowIds.message(1, 'a1'))).toBe(rowIds.message(1, 'a1'))
    expect(nearestRow(open, roots, 'nowhere')).toBeNull()
  })
})

describe('an attempt by its number', () => {
  it('is the current one where there is no such attempt', () => {
    const view = replay(recording('lost-attempt'))
    expect(toldAttempt(view, 1)?.attempt).toBe(1)
    expect(toldAttempt(view, 7)?.attempt).toBe(2)
    expect(toldAttempt(view, null)?.attempt).toBe(2)
  })
})
