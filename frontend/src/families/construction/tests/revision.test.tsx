import { screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'

import { AgentPanel } from '@/components/run/agent-panel'
import { showFrames } from '@/components/run/tests/show'
import { constructionOf } from '@/families/construction/steps'
import { FAMILIES } from '@/families/all'
import type { RunEvent } from '@/graph/frames'
import { agentNames } from '@/graph/names'
import { shapeOf } from '@/graph/shape'
import { traceTree } from '@/graph/tree'

import { agentFinished, agentStarted, attemptIn, replay, trace } from '@/graph/tests/frames'

const sampled = (step: number, id: string | null, kind: 'add' | 'delete' | 'exit'): RunEvent => ({
  event: 'node_sampled',
  at: step,
  step,
  candidates: [],
  out_of_scope: false,
  kind,
  choice: kind === 'add' ? 'planner' : kind.toUpperCase(),
  log_probability: 0,
  greedy: true,
  agent_id: id,
})

const SENT_BACK: RunEvent[] = [
  sampled(1, 'a1', 'add'),
  {
    event: 'edges_sampled',
    at: 1,
    step: 1,
    agent_id: 'a1',
    candidates: [],
    log_probability: 0,
    back: [],
  },
  agentStarted('a1', 1),
  agentFinished('a1', 2),
  sampled(2, 'a2', 'add'),
  {
    event: 'edges_sampled',
    at: 3,
    step: 2,
    agent_id: 'a2',
    candidates: [{ source: 'a1', probability: 0.9, chosen: true }],
    log_probability: 0,
    back: [{ target: 'a1', probability: 0.7, chosen: true }],
  },
  agentStarted('a2', 3, ['a1']),
  agentFinished('a2', 4),
  {
    event: 'revision_asked',
    at: 5,
    step: 2,
    agent_id: 'a1-2',
    revises: 'a1',
    sender: 'a2',
    reads: ['a1', 'a2'],
    round: 2,
  },
  agentStarted('a1-2', 5, ['a1', 'a2']),
  agentFinished('a1-2', 6),
]

const framesOf = (events: readonly RunEvent[]) =>
  events.map((event, index) => trace(index + 1, event))

const attemptOf = (events: readonly RunEvent[]) => attemptIn(replay(framesOf(events)))

describe('an agent that was sent a message back', () => {
  it('has the edge that points back, and a revision that reads both', () => {
    const { nodes, edges } = shapeOf(attemptOf(SENT_BACK), true)
    expect(edges.filter(({ kind }) => kind === 'back')).toEqual([
      {
        id: 'a2↩a1',
        source: 'a2',
        target: 'a1',
        kind: 'back',
        probability: null,
        active: false,
        removed: false,
      },
    ])
    expect(nodes.find(({ id }) => id === 'a1')?.reads).toEqual(['query:source'])
    expect(nodes.find(({ id }) => id === 'a1-2')?.reads).toEqual(['a1', 'a2'])
    expect(nodes.at(-1)?.reads).toEqual(['a1-2'])
  })

  it('is called the same in the next round', () => {
    const names = agentNames(attemptOf(SENT_BACK).agents.values())
    expect([...names.values()]).toEqual(['Planner', 'Planner 2', 'Planner, round 2'])
  })

  it('shows with the step of the agent that sent it', () => {
    const { steps, senders } = constructionOf(attemptOf(SENT_BACK))
    expect(steps.map(({ back }) => back)).toEqual([
      [],
      [{ source: 'a1', probability: 0.7, chosen: true }],
    ])
    expect(senders.get('a1-2')).toBe('a2')
    const run = replay(framesOf(SENT_BACK))
    const second = traceTree(run, FAMILIES)[0]?.children.find(({ id }) => id.endsWith('step-2'))
    expect(second?.children.map(({ agentId }) => agentId)).toEqual(['a2', 'a1-2'])
  })

  it('tells why it revises', async () => {
    showFrames(framesOf(SENT_BACK), <AgentPanel id="a1-2" onSelect={vi.fn()} />)
    expect(await screen.findByText(/^Planner 2 sent its message back to this agent/)).toBeTruthy()
  })

  it('loses the revision with the agent that asked for it', () => {
    const agents = attemptOf([...SENT_BACK, sampled(3, 'a2', 'delete')]).agents
    expect([...agents.values()].map(({ status }) => status)).toEqual(['done', 'removed', 'removed'])
  })

  it('reads events from before there were edges back', () => {
    const old = { ...SENT_BACK[5] } as Record<string, unknown>
    delete old.back
    const events = [...SENT_BACK.slice(0, 5), old as unknown as RunEvent]
    expect(constructionOf(attemptOf(events)).steps[1]?.back).toEqual([])
  })
})
