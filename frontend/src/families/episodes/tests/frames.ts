/** Episodes for tests, as the method tells them. */
import type { EpisodeStarted } from '@/generated/events'
import type { RunEvent, TraceFrame } from '@/graph/frames'
import { agentFinished, agentStarted, trace } from '@/graph/tests/frames'

type Picture = EpisodeStarted['picture']
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

const worded = { text: 'Half of 84.', output: '', answer: '42', right: true }
const computed = (answer: string | null) => ({
  text: `print(${answer ?? ''})`,
  output: answer ?? '',
  answer,
  right: answer === '42',
})
const math = (reasoner: Picture[string], tool_user: Picture[string], agreed = false): Picture => ({
  ...{ kind: 'math', turn: 1, reasoner, tool_user, agreed },
})

/** The program is wrong in the first turn. */
export const MATH_START = math(null, null)
export const MATH_PARTS: readonly Part[] = [
  ['reasoner-1', '42', math(worded, null)],
  ['tool_user-1', '168', math(worded, computed('168'))],
  ['reasoner-2', '42', math(worded, computed('168'))],
  ['tool_user-2', '42', math(worded, computed('42'), true), 'agreed'],
]

const WRONG = 'def double(n):\n    return n * n'
const tests = [
  { test: 'assert double(2) == 4', why: '' },
  { test: 'assert double(3) == 6', why: 'AssertionError' },
]
const code = (part: Picture): Picture => ({
  ...{ kind: 'code', turn: 1, program: '', broken: '', tests: [], passed: 0, golden: null },
  ...part,
})

export const CODE_START = code({})
export const CODE_PARTS: readonly Part[] = [
  ['coder-1', WRONG, code({ program: WRONG, golden: { passed: 1, total: 4 } })],
  [
    'tester-1',
    tests.map(({ test }) => test).join('\n'),
    code({ program: WRONG, golden: { passed: 1, total: 4 }, tests, passed: 1 }),
  ],
  [
    'coder-2',
    '',
    code({
      ...{ broken: 'the message had no Python program', tests, passed: 1, tested_before: true },
    }),
  ],
]
