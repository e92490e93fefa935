/** Sentences about an episode in the trace, the replay and the panel of an agent. */
import { many } from '@/strings/many'

const move = (count: number): string => many(count, 'move', 'moves')
const more = (count: number): string => many(count, 'more move', 'more moves')
const cell = (count: number): string => many(count, 'cell', 'cells')
const ofThem = (right: number | null): string => (right === null ? '' : `, ${right} of them right`)

export const text = {
  tab: 'Turns',
  agents: 'Agents',
  views: 'Turns or agents',
  turn: (number: number) => (number === 0 ? 'Start' : `Turn ${number}`),
  unread: 'No answer could be read from the message.',
  moves: {
    solved: (made: number, rest: number) =>
      `Solved with ${move(made)}.${rest === 0 ? '' : ` ${more(rest)} ${rest === 1 ? 'was' : 'were'} not needed.`}`,
    blocked: (made: number, all: number, name: string) =>
      `Move ${made + 1} (${name}) was blocked. ${made} of ${move(all)} ${made === 1 ? 'was' : 'were'} made.`,
    made: (made: number) => `${move(made)} made.`,
  },
  proposedMoves: {
    solved: (made: number, rest: number) =>
      `Would solve it with ${move(made)}.${rest === 0 ? '' : ` ${more(rest)} would not be needed.`}`,
    blocked: (made: number, all: number, name: string) =>
      `Move ${made + 1} of ${all} (${name}) would be blocked.`,
    made: (made: number) => `${move(made)}, which would not solve it.`,
  },
  cells: {
    filled: (count: number, right: number | null) => `${cell(count)} filled in${ofThem(right)}.`,
    given: 'It changes a given number, so nothing was filled in.',
    twice: 'It has a number twice in a row, column or box, so nothing was filled in.',
  },
  proposedCells: {
    filled: (count: number, right: number | null) => `Fills in ${cell(count)}${ofThem(right)}.`,
    given: 'It changes a given number.',
    twice: 'It has a number twice in a row, column or box.',
  },
  answers: { agree: 'The answers agree.', differ: 'The answers differ.' },
  program: {
    broken: (why: string) => `The program does not run: ${why}.`,
    tested: (passed: number, all: number) =>
      `${passed} of the tester’s ${many(all, 'test', 'tests')} passed.`,
  },
  replay: {
    begins: (name: string) => `The episode begins: ${name}`,
    proposes: (name: string, what: string) => `${name} proposes ${what}`,
    commits: (name: string, what: string) => `${name} plays ${what}`,
    answers: (name: string, what: string) => `${name} answers ${what}`,
    nothing: (name: string) => `No answer of ${name} could be read`,
  },
  agent: {
    turn: 'Turn',
    open: (number: number) => `Show turn ${number}`,
  },
  read: 'Read as',
  team: 'Team’s reward',
  own: 'Own reward',
} as const
