/** Sentences about a team that a script describes. */
import type { AgentStatus } from '@/graph/run-view'
import { many } from '@/strings/many'

import type { BlockKind, ScriptEnded } from './scripts'

const kind: Readonly<Record<BlockKind, string>> = {
  agent: 'Agent',
  ensemble: 'Ensemble',
  reflection: 'Reflection',
  debate: 'Debate',
  router: 'Router',
  sequence: 'Sequence',
  conditional: 'Conditional',
  loop: 'Loop',
  graph: 'Graph',
  if: 'if',
  for: 'for',
  while: 'while',
}

const state: Readonly<Record<AgentStatus, string>> = {
  waiting: 'not asked yet',
  held: 'waits for you',
  active: 'speaks',
  done: 'done',
  reused: 'done',
  refused: 'declined',
  failed: 'failed',
  stopped: 'stopped',
  removed: 'removed',
}

const line = (number: number) => `Line ${number}`

export const text = {
  tab: 'Script',
  side: 'Calls and end',
  agents: 'Agents',
  views: 'Script or agents',
  line,
  kind,
  state,
  unasked: 'not asked',
  calls: (count: number) => many(count, 'call', 'calls'),
  tokens: (count: string) => `${count} tokens`,
  lineFact: (number: number, code: string) => `${line(number)}: ${code}`,
  replay: {
    read: (number: number, agents: number) =>
      `Script ${number} is read: ${many(agents, 'agent', 'agents')}`,
    unusable: (number: number, problem: string) => `Script ${number} can’t be used: ${problem}`,
  },
  script: {
    name: (number: number) => `Script ${number}`,
    only: 'Script',
    given: 'The settings give this script, so no designer was asked.',
    by: 'Designer',
    choose: 'Scripts of the run',
    problems: (count: number) => many(count, 'problem', 'problems'),
    writing: 'being written',
    used: 'used',
    copy: 'Copy the script',
    lines: (number: number) => `Script ${number}, line by line`,
    none: 'No script was written.',
    waits: 'The designer reads the question. Its script appears here while it is written.',
    prose: 'The designer has not begun the script yet:',
    unread: 'The reply of the designer could not be read as a script.',
    now: 'speaks now',
    around: 'around the agent that speaks',
    makes: (names: string) => `makes ${names}`,
    problem: (number: number | null) => (number === null ? 'Problem' : `Problem in line ${number}`),
    changed: 'changed',
  },
  drawing: {
    label: 'Drawing of the team',
    help: 'Boxes are agents, frames are blocks that hold others. Choose one to see its calls and its line.',
    question: 'Question',
    answer: 'Answer',
    waits: 'The team is drawn when the script is complete.',
    unusable: 'This script can’t be used, so there is nothing to draw.',
    stopped: 'The run ended before there was a team.',
    empty: 'The script asks no agent.',
    dynamic: 'decided while it runs',
    tools: (count: number) => many(count, 'tool', 'tools'),
    inside: (name: string) => `in ${name}`,
    reads: (names: string) => `after ${names}`,
    whole: 'Fit to view',
    readable: 'Readable size',
    incomplete: 'Dashed frames are decided while the script runs.',
  },
  phase: {
    waiting: 'The designer reads the question',
    writing: (number: number) => `The designer writes script ${number}`,
    unusable: 'The script can’t be used',
    starting: 'The script starts',
    speaking: (names: string) => `${names} at work`,
    between: 'The script goes on',
    stopped: 'Stopped',
    failed: 'No usable script',
  },
  ending: {
    delivered: 'Delivered an answer',
    failed: 'The script failed',
    limit: 'A limit ended the script',
    broken: 'The script’s process broke off',
  } satisfies Record<ScriptEnded['ending'], string>,
  end: {
    title: 'End',
    told: (calls: number, seconds: string | null) =>
      [many(calls, 'call', 'calls'), seconds === null ? '' : `the script itself took ${seconds}`]
        .filter(Boolean)
        .join('; '),
    printed: 'Printed by the script',
    copy: 'Copy what was printed',
  },
  list: {
    designer: 'Designer',
    title: 'Calls',
    none: 'No agent has been asked yet.',
    call: (number: number) => `Call ${number}`,
    open: (name: string) => `Details of ${name}`,
    showLine: (number: number) => `Show line ${number}`,
    more: (count: number) => `Show ${count} more`,
  },
  block: {
    close: 'Close',
    none: 'No agent is made in this line.',
    prompt: 'Instruction',
    tools: 'Tools',
    made: (number: number) => `made in line ${number}`,
    neverAsked: 'It was never asked.',
    notYet: 'It has not been asked yet.',
    answer: 'Answer',
    silent: 'It left no message.',
    writing: 'It is writing.',
  },
  shape: {
    title: 'Shape',
    help: 'The team without names and instructions. Equal teams have equal shapes.',
  },
  agent: {
    title: 'Line of the script',
    open: (number: number) => `Show line ${number}`,
    designer: 'It writes the script of the team.',
    call: (call: number) => `Call ${call} of the script.`,
    why: (number: number) => `The script asks it: it is made in line ${number}.`,
    whyDesigner: 'The method asks it for a team that fits the question.',
  },
} as const
