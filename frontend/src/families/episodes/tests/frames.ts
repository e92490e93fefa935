/** Episodes for tests, as the method tells them. */
import type { RunEvent, TraceFrame } from '@/graph/frames'
import { agentFinished, agentStarted, trace } from '@/graph/tests/frames'

import type { Picture } from '@/families/episodes/episode'

type Part = readonly [agent: string, read: string, picture: Picture, ended?: string]

const roleOf = (id: string) => ({
  key: id.replace(/-\d+$/, ''),
  name: id.startsWith('proposer') ? 'Proposer' : 'Planner',
  family: 'games',
})

const planned = (ids: readonly string[]): RunEvent =>
  ({
    event: 'graph_planned',
    at: 1,
    graph: {
      nodes: ids.map((id) => ({ id, role: roleOf(id), round: turnOf(id), endpoint: null })),
      edges: [],
    },
  }) as unknown as RunEvent

const turnOf = (id: string): number => Number(id.split('-').at(-1))

/** Agents are called "planner-2": the planner of turn 2. */
export function played(start: Picture, parts: readonly Part[], isOver = true): TraceFrame[] {
  const ids = parts.map(([id]) => id)
  const events: RunEvent[] = [
    { event: 'episode_started', at: 0, environment: 'e', name: 'A game', picture: start, turns: 2 },
    ...parts.flatMap(([id, read, picture, ended = null], place): RunEvent[] => [
      planned(ids.slice(0, place + 1)),
      { ...agentStarted(id, place), role_name: roleOf(id).name } as RunEvent,
      { ...agentFinished(id, place), message: `I say ${read}` } as RunEvent,
      {
        event: 'episode_moved',
        at: place,
        agent_id: id,
        turn: turnOf(id),
        read,
        team: ended ? { goal: 1 } : {},
        local: { steps: -0.02 },
        picture,
        ended,
      },
    ]),
  ]
  if (isOver)
    events.push({
      event: 'run_finished',
      at: 9,
      answer: 'Answer: right, right',
      message: '',
      graph: { nodes: [], edges: [] },
      usage: { prompt_tokens: 1, completion_tokens: 1, cost: 0 },
      seconds: 1,
    })
  return events.map((event, seq) => trace(seq + 1, event))
}

const MAZE = 'S.G\n.#.'
const maze = (board: string, moves: readonly string[], proposal = ''): Picture => ({
  game: 'plan_path',
  start: MAZE,
  board,
  moves,
  proposal,
})

/** The proposal runs into the edge, the planner's first answer into the wall below; then it is solved. */
export const MAZE_START = maze(MAZE, [])
export const MAZE_PARTS: readonly Part[] = [
  ['proposer-1', 'left', maze(MAZE, [], 'left')],
  ['planner-1', 'right, down', maze('.SG\n.#.', ['right'], 'left')],
  ['proposer-2', 'R', maze('.SG\n.#.', ['right'], 'R')],
  ['planner-2', 'right, left', maze('..*\n.#.', ['right', 'right'], 'R'), 'solved'],
]
