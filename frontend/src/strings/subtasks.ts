/** Every sentence about a query's subtasks: who was found for them, why, and whose answer counts. */
import type { SubtaskStatus } from '@/graph/task-graph'

const many = (count: number, one: string, more: string): string =>
  `${count} ${count === 1 ? one : more}`

export const text = {
  tab: 'Subtasks',
  agents: 'Agents',
  title: 'Subtasks',
  planned: {
    llm: 'Divided by a model',
    own: 'The data set’s own division',
  },
  repaired: 'Its first division could not be used and was mended.',
  name: (ordinal: number) => `Subtask ${ordinal}`,
  short: (ordinal: number, what: string) => `${ordinal}. ${what}`,
  final: 'final',
  finalHelp: 'Its answer is the answer to the question.',
  status: {
    waiting: 'waiting',
    searching: 'looking for agents',
    asked: 'being answered',
    answered: 'answered',
    unsolved: 'not solved',
    stopped: 'stopped',
    unreached: 'not reached',
  } satisfies Record<SubtaskStatus, string>,
  statusHelp: {
    waiting: 'It waits for the subtasks before it.',
    searching: 'Agents that suit it are looked for.',
    asked: 'The agents that were found answer it.',
    answered: '',
    unsolved: 'Nobody’s answer was good enough.',
    stopped: 'The run ended while it was being answered.',
    unreached: 'The run ended before it: a subtask before was not solved, or the run stopped.',
  } satisfies Record<SubtaskStatus, string>,
  canvas: {
    label: 'Graph of subtasks',
    help: 'Tab to a subtask, walk with the arrow keys, Enter opens it. Lines lead from answers to whom they are given.',
    empty: 'The question has not been divided into subtasks yet.',
  },
  waitsFor: (names: string) => `Waits for ${names}`,
  more: (count: number) => `and ${count} more`,
  noAnswer: 'no answer',
  by: (role: string, endpoint: string) => `${role} on ${endpoint}`,
  counts: 'counts',
  ofCandidates: (count: number) => many(count, 'agent', 'agents'),
  panel: {
    close: 'Close the subtask',
    answer: 'Answer',
    reference: 'Right answer',
    unknown: 'not known',
    dependsOn: 'Needs the answers of',
    dependsOnNone: 'no other subtask',
    neededBy: 'Needed by',
    neededByNone: 'the answer to the question',
    why: 'Why these agents',
    candidates: 'Candidates',
    open: (role: string, endpoint: string) => `Message of ${role} on ${endpoint}`,
    rewards: 'Rewards',
    groups: 'Votes',
    group: (answer: string, count: number) => `${answer} · ${many(count, 'agent', 'agents')}`,
    nobodyVoted: 'Nobody gave an answer.',
    none: 'No agent was found.',
  },
  rows: {
    head: 'Agent',
    endpoint: 'Endpoint',
    similarity: 'Similarity',
    reached: (value: string, threshold: string) => `${value} ≥ ${threshold}`,
    missed: (value: string, threshold: string) => `${value} < ${threshold}`,
    gate: (share: string) => `counts ${share}`,
    performance: 'Performance',
    profile: (reward: string, cost: string) => `R ${reward}, C ${cost}`,
    exploration: 'Exploration',
    chosen: (count: number, selections: number) => `${count} of ${selections}`,
    score: 'UCB score',
    reward: 'Reward',
    answer: 'Answer',
    legend:
      'Score = similarity · performance + exploration. R: mean reward so far, C: mean cost, both as they were then. Below exploration: how often it was chosen, of all selections.',
  },
  nobody: {
    title: 'Nobody is made for this subtask',
    body: (nearest: string, threshold: string) =>
      `The nearest agent reaches a similarity of ${nearest}, below the threshold of ${threshold}. Those below are tried nonetheless.`,
  },
  why: {
    picked: (reasons: string, exploration: string) => `Picked because: ${reasons}; ${exploration}.`,
    suits: (value: string, threshold: string) => `it suits the subtask (${value} ≥ ${threshold})`,
    misses: (value: string, threshold: string) =>
      `it is not made for the subtask (${value} < ${threshold})`,
    shut: 'so what it earned does not count',
    gated: (share: string) => `what it earned counts by ${share}`,
    earned: (reward: string, count: number) =>
      `its answers earned ${reward} so far over ${many(count, 'task', 'tasks')}`,
    less: (cost: string) => `less ${cost} for what they cost`,
    unknown: 'it has answered nothing so far',
    explores: (value: string) => `exploration adds ${value}`,
    first: 'nobody has been chosen so far, so the most similar agent comes first',
  },
  decided: {
    reward: (name: string, value: string) => `The answer of ${name} counts: it earned ${value}.`,
    most: (name: string, count: number, all: number) =>
      `The answer of ${name} counts: ${count} of ${many(all, 'agent', 'agents')} gave it.`,
    nobody: 'Nobody’s answer counts.',
  },
  agent: {
    title: 'Subtask',
    counts: 'Its answer to it counts.',
  },
  replay: {
    planned: (count: number) => `Divided into ${many(count, 'subtask', 'subtasks')}`,
    scored: (count: number, ordinal: number) =>
      `${many(count, 'agent is', 'agents are')} found for subtask ${ordinal}`,
    answered: (ordinal: number, answer: string) => `Subtask ${ordinal} is answered: ${answer}`,
    nobody: (ordinal: number) => `Nobody’s answer to subtask ${ordinal} counts`,
  },
} as const
