/** Sentences of the board of an episode and of its turns. */
import { endOf } from '@/strings/ends'
import { many } from '@/strings/many'

import type { Standing } from './episode'
import type { CellKind } from './grids'
import type { Speaker } from './math'

const at = (row: number, column: number): string => `row ${row}, column ${column}`

export const text = {
  episode: 'Episode',
  state: 'State of the episode',
  controls: 'Turns of the episode',
  previous: 'Previous turn',
  next: 'Next turn',
  play: 'Play turn by turn',
  pause: 'Pause',
  slider: 'Turn',
  place: (turn: string, most: number) => (turn === 'Start' ? turn : `${turn} of at most ${most}`),
  standing: {
    playing: () => 'In progress',
    solved: (turn) => `Solved in turn ${turn}`,
    usedUp: (turn) => `No turn left after turn ${turn}`,
    ended: (turn, ended) => `Ended in turn ${turn}: ${endOf(ended)}`,
    stopped: () => 'Stopped before its end',
  } satisfies Record<Standing, (turn: number, ended: string) => string>,
  begin: 'Before the first turn.',
  waits: 'No agent has answered in this turn yet.',
  waitsForOther: 'The other agent has not answered in this turn yet.',
  noProposal: 'No proposal could be read.',
  proposed: (what: string) => `Proposal: ${what}`,
  legend: {
    label: 'Signs on the board',
    walker: 'player',
    start: 'start',
    goal: 'goal',
    wall: 'wall',
    box: 'box',
    placed: 'box on a target',
    target: 'target',
    walked: 'moves made',
    proposed: 'proposal',
    blocked: 'blocked',
  },
  cells: {
    empty: 'empty',
    given: 'given',
    filled: 'filled in',
    right: 'filled in, right',
    wrong: 'filled in, wrong',
    proposed: 'proposal',
    refused: 'refused',
  } satisfies Record<CellKind, string>,
  walk: (rows: number, columns: number) =>
    `Board with ${many(rows, 'row', 'rows')} and ${many(columns, 'column', 'columns')}`,
  walker: (row: number, column: number) => `The player is at ${at(row, column)}`,
  goal: (row: number, column: number) => `The goal is at ${at(row, column)}`,
  boxes: (placed: number, all: number) =>
    `${placed} of ${many(all, 'box is', 'boxes are')} on a target`,
  gridRow: (row: number, cells: string) => `Row ${row}: ${cells}`,
  turns: 'Turns',
  open: (name: string) => `Details of ${name}`,
  proposes: 'proposes',
  commits: 'decides',
  total: 'Reward',
  noPart: 'none',
  message: (name: string) => `Message of ${name}`,
  silent: 'The message is empty.',
  math: {
    none: 'No agent has answered yet.',
    by: { reasoner: 'Reasoner, in words', tool_user: 'Tool user, by a program' } satisfies Record<
      Speaker,
      string
    >,
    unread: 'No answer could be read',
    words: 'Message of the reasoner',
    program: 'Program',
    noProgram: '(none)',
    printed: 'It printed',
    nothing: '(nothing)',
  },
  code: {
    none: 'There is no program yet.',
    program: 'Program',
    hidden: (passed: number, total: number) =>
      `${passed} of ${many(total, 'hidden test', 'hidden tests')} passed.`,
    hiddenHelp: 'The task’s own tests. No agent sees them, and they judge the answer.',
    testedNow: 'On this program.',
    testedBefore: 'On the program of the turn before. This one is not tested yet.',
    passed: 'passed',
    failed: 'failed',
  },
} as const
