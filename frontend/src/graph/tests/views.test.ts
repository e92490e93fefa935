import { describe, expect, it } from 'vitest'

import { FAMILIES } from '@/families/all'
import { neighbour } from '@/graph/navigation'
import { currentAttempt } from '@/graph/run-view'
import { ANSWER_ID, QUERY_ID, shapeOf } from '@/graph/shape'
import { lastPart, shortText } from '@/graph/text'
import { timeTicks } from '@/graph/time-axis'
import { timelineOf } from '@/graph/timeline'
import { traceTree, visibleRows } from '@/graph/tree'

import type { AgentFinished } from '@/generated/events'
import type { RunEvent } from '@/graph/frames'

import {
  agentFinished,
  agentStarted,
  attemptIn,
  recording,
  replay,
  trace,
  type Recording,
} from './frames'

const finished = agentFinished('a1', 2) as AgentFinished

const attemptOf = (name: Recording) => attemptIn(replay(recording(name)))

describe('the verdict on an answer', () => {
  it('is a row of the trace, with its reason', () => {
    const view = replay([
      trace(1, {
        event: 'answer_verified',
        at: 2,
        verifier: 'numeric',
        correct: false,
        reward: 0,
        explanation: '101 is not 102.',
      }),
    ])
    expect(view.attempts[0]?.verdict).toEqual({
      verifier: 'numeric',
      correct: false,
      reward: 0,
      explanation: '101 is not 102.',
    })
    const row = traceTree(view, FAMILIES)[0]?.children.find(({ kind }) => kind === 'verdict')
    expect(row).toMatchObject({
      label: 'Judged wrong',
      detail: '101 is not 102.',
      status: 'failed',
    })
  })
})

describe('what a model only thought', () => {
  it('is kept beside its message, and older events have none', () => {
    const older = Object.fromEntries(
      Object.entries(finished).filter(([name]) => name !== 'thoughts'),
    )
    const view = (event: unknown) =>
      replay([trace(1, agentStarted('a1', 1)), trace(2, event as RunEvent)])
    const thoughts = (event: unknown) => currentAttempt(view(event))?.agents.get('a1')?.thoughts
    expect(thoughts({ ...finished, thoughts: 'Is it 12?' })).toBe('Is it 12?')
    expect(thoughts(older)).toBe('')
  })
})

describe('the drawn graph', () => {
  it('leads from the query over the agents to the answer', () => {
    const { nodes, edges } = shapeOf(attemptOf('mashost'), true)
    expect(nodes[0]?.id).toBe(QUERY_ID)
    expect(nodes.at(-1)).toMatchObject({ id: ANSWER_ID, reads: ['summary'] })
    expect(edges.filter((edge) => edge.source === QUERY_ID).map((edge) => edge.target)).toEqual([
      'a1',
    ])
  })

  it('marks what a deletion took away', () => {
    const { edges } = shapeOf(attemptOf('mashost'), true)
    expect(edges.filter((edge) => edge.removed).map((edge) => edge.id)).toEqual(['a2→a3'])
  })

  it('joins independent samples in the answer', () => {
    const { nodes, edges } = shapeOf(attemptOf('self-consistency'), true)
    expect(nodes.at(-1)?.reads).toEqual(['s1', 's2', 's3', 's4', 's5'])
    expect(edges).toHaveLength(10)
  })

  it('waits with an agent until it is known whom it reads', () => {
    const frames = recording('mashost')
    const sampled = frames.findIndex(
      (frame) =>
        frame.type === 'trace' && frame.event.event === 'node_sampled' && frame.event.step === 2,
    )
    const ids = (count: number) =>
      shapeOf(currentAttempt(replay(frames.slice(0, count))), false).nodes.map((node) => node.id)
    expect(ids(sampled + 1)).not.toContain('a2')
    expect(ids(sampled + 2)).toContain('a2')
  })

  it('shows the query before anything happened', () => {
    expect(shapeOf(null, false).nodes.map((node) => node.kind)).toEqual(['query'])
  })
})

describe('the timeline', () => {
  it('names the subtask that an agent was asked', () => {
    const { rows } = timelineOf(attemptOf('subtasks-voted'), FAMILIES, null)
    expect(rows.find(({ agentId }) => agentId === 's4-2')?.fact).toEqual({
      title: 'Subtask',
      name: 'Subtask 4',
      short: '4. How much money do loaves and cakes bring together?',
      text: 'How much money do loaves and cakes bring together?',
    })
    expect(timelineOf(attemptOf('mashost'), FAMILIES, null).rows[0]?.fact).toBeNull()
  })

  it('has a bar per agent and per tool call, inside the axis', () => {
    const { rows, duration } = timelineOf(attemptOf('mashost'), FAMILIES, null)
    expect(rows.map((row) => row.id)).toEqual([
      ...'a1 a2 a3 a4 a4/call-1 a4/call-2 a5 a6 summary'.split(' '),
    ])
    for (const row of rows) {
      expect(row.start).toBeGreaterThanOrEqual(0)
      expect(row.end).toBeGreaterThanOrEqual(row.start)
      expect(row.end).toBeLessThanOrEqual(duration)
    }
  })

  it('counts how many agents worked at once', () => {
    expect(timelineOf(attemptOf('self-consistency'), FAMILIES, null).peak).toBe(5)
    expect(timelineOf(attemptOf('mashost'), FAMILIES, null).peak).toBe(1)
  })

  it('tells agents of one role apart', () => {
    const attempt = attemptOf('self-consistency')
    const agents = [...attempt.agents].map(
      ([id, agent]) => [id, { ...agent, roleName: 'Reasoner' }] as const,
    )
    const { rows } = timelineOf({ ...attempt, agents: new Map(agents) }, FAMILIES, null)
    expect(rows.map((row) => row.label)).toEqual([
      'Reasoner',
      'Reasoner 2',
      'Reasoner 3',
      'Reasoner 4',
      'Reasoner 5',
    ])
  })

  it('lets an unfinished bar grow with the clock', () => {
    const frames = recording('mashost')
    const started = frames.findIndex(
      (frame) => frame.type === 'trace' && frame.event.event === 'agent_started',
    )
    const attempt = currentAttempt(replay(frames.slice(0, started + 1)))
    if (!attempt?.lastAt) throw new Error('no attempt')
    const [row] = timelineOf(attempt, FAMILIES, attempt.lastAt + 4).rows
    expect(row?.open).toBe(true)
    expect((row?.end ?? 0) - (row?.start ?? 0)).toBeCloseTo(4)
  })
})

describe('the time axis', () => {
  it.each([
    [0.004, ['0', '1 ms', '2 ms', '3 ms', '4 ms']],
    [3.2, ['0', '500 ms', '1 s', '1.5 s', '2 s', '2.5 s', '3 s']],
    [17, ['0', '5 s', '10 s', '15 s']],
    [100, ['0', '30 s', '1 min', '1 min 30 s']],
    [200, ['0', '1 min', '2 min', '3 min']],
    [5_400, ['0', '30 min', '1 h', '1 h 30 min']],
    [9_000, ['0', '1 h', '2 h']],
  ])('has round steps over %d s', (duration, labels) => {
    expect(timeTicks(duration, 7).map((tick) => tick.label)).toEqual(labels)
  })

  it.each([0, -1, NaN, Infinity])('stands even over %d s', (duration) => {
    expect(timeTicks(duration, 5).length).toBeGreaterThan(1)
  })
})

describe('the trace tree', () => {
  it('holds attempts, steps, agents and what they did', () => {
    const [attempt] = traceTree(replay(recording('mashost')), FAMILIES)
    const step = attempt?.children[4]
    expect(step?.label).toBe('Step 5: Add Python programmer')
    expect(step?.children[0]?.children.map((node) => node.kind)).toEqual([
      'prompt',
      'tool',
      'tool',
      'message',
    ])
  })

  it('shows a lost attempt with its cause', () => {
    const [lost, second] = traceTree(replay(recording('lost-attempt')), FAMILIES)
    expect(lost).toMatchObject({ status: 'failed', detail: 'Worker lost' })
    expect(lost?.children.at(-1)?.kind).toBe('failure')
    expect(second?.status).toBe('done')
  })

  it('counts positions for assistive technology', () => {
    const roots = traceTree(replay(recording('lost-attempt')), FAMILIES)
    const rows = visibleRows(roots, (node) => node.kind === 'attempt')
    expect(rows.map(({ level, position, siblings }) => [level, position, siblings])).toEqual([
      [1, 1, 2],
      [2, 1, 2],
      [2, 2, 2],
      [1, 2, 2],
      [2, 1, 4],
      [2, 2, 4],
      [2, 3, 4],
      [2, 4, 4],
    ])
    expect(rows[1]?.parentId).toBe('attempt-1')
  })
})

describe('walking with arrow keys', () => {
  const positions = new Map([
    ['a', { x: 0, y: 0 }],
    ['b', { x: 300, y: 80 }],
    ['c', { x: 300, y: -200 }],
    ['d', { x: 10, y: 200 }],
  ])

  it('goes to the nearest node in that direction', () => {
    expect(neighbour(positions, 'a', 'right')).toBe('b')
    expect(neighbour(positions, 'b', 'up')).toBe('c')
    expect(neighbour(positions, 'a', 'down')).toBe('d')
    expect(neighbour(positions, 'b', 'left')).toBe('a')
  })

  it('stays at the rim', () => {
    expect(neighbour(positions, 'b', 'right')).toBeNull()
    expect(neighbour(positions, 'nobody', 'right')).toBeNull()
  })
})

describe('cut text', () => {
  it('fits one line', () => {
    expect(shortText('a\n  b   c', 10)).toBe('a b c')
    expect(shortText('abcdefgh', 5)).toBe('abcd…')
    expect(shortText(`${' '.repeat(90)}a${' '.repeat(90)}b`, 10)).toBe('a…')
    expect(shortText(`${' '.repeat(90)}a  b${' '.repeat(90)}`, 10)).toBe('a b')
  })

  it('shows the end of a growing text from a word on', () => {
    expect(lastPart('one two three four', 12)).toBe('… three four')
    expect(lastPart('short', 12)).toBe('short')
  })
})
