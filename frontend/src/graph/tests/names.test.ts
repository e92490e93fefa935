import { describe, expect, it } from 'vitest'

import type { RunEvent } from '@/graph/frames'
import { agentNames, speakers, voters } from '@/graph/names'
import { currentAttempt, type AgentView } from '@/graph/run-view'

import { agentFinished, agentStarted, replay, trace } from './frames'

const debater = (id: string, number: number, round: number) => ({
  id,
  round,
  endpoint: null,
  role: { key: `debater-${number}`, name: `Debater ${number}`, family: 'baseline' },
})

/** Two debaters in two rounds, of whom these have spoken. */
function debate(...spoken: string[]): AgentView[] {
  const nodes = [debater('a1', 1, 1), debater('a2', 2, 1), debater('a3', 1, 2), debater('a4', 2, 2)]
  const planned = { event: 'graph_planned', at: 0, graph: { nodes, edges: [] } }
  const events = [
    planned as unknown as RunEvent,
    ...spoken.map((id) => ({ ...agentFinished(id, 1), answer: `of ${id}` }) as RunEvent),
  ]
  const attempt = currentAttempt(replay(events.map((event, index) => trace(index + 1, event))))
  return [...(attempt?.agents.values() ?? [])]
}

describe('names of agents', () => {
  it('number those who share a role', () => {
    const started = replay([trace(1, agentStarted('x', 1)), trace(2, agentStarted('y', 2))])
    const names = agentNames(currentAttempt(started)?.agents.values() ?? [])
    expect([...names.values()]).toEqual(['Planner', 'Planner 2'])
  })

  it('say the round of who speaks again', () => {
    expect([...agentNames(debate()).values()]).toEqual([
      'Debater 1',
      'Debater 2',
      'Debater 1, round 2',
      'Debater 2, round 2',
    ])
  })
})

describe('whose answers are counted', () => {
  it('is nobody who combines what others say', () => {
    const counter: RunEvent = {
      ...(agentStarted('z', 3, ['x', 'y']) as Extract<RunEvent, { event: 'agent_started' }>),
      role_key: 'vote_counter',
      family: 'synthesis',
    }
    const events = [agentStarted('x', 1), agentStarted('y', 2), counter]
    const run = replay(events.map((event, index) => trace(index + 1, event)))
    const agents = currentAttempt(run)?.agents.values() ?? []
    expect(voters(agents).map(({ id }) => id)).toEqual(['x', 'y'])
  })
})

describe('whose last message counts', () => {
  it('is each speaker once, in the last round in which it spoke', () => {
    expect(speakers(debate('a1', 'a2', 'a3', 'a4')).map(({ id }) => id)).toEqual(['a3', 'a4'])
    expect(speakers(debate('a1', 'a2', 'a4')).map(({ id }) => id)).toEqual(['a1', 'a4'])
  })

  it('is everybody who speaks once, also of the same role', () => {
    const started = replay([trace(1, agentStarted('x', 1)), trace(2, agentStarted('y', 2))])
    const agents = currentAttempt(started)?.agents.values() ?? []
    expect(speakers(agents).map(({ id }) => id)).toEqual(['x', 'y'])
  })
})
