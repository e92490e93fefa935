/** What the views of a query's subtasks say: who was found for them, why, and whose answer counts. */
import { many } from '@/strings/many'

import type { SubtaskStatus } from './task-graph'

export const text = {
  title: 'Subtasks',
  planned: {
    llm: 'Divided by a model',
    own: 'The data set’s own division',
  },
  planner: {
    atWork: (ordinal: number, endpoint: string) =>
      `The planner on ${endpoint} ${ordinal === 1 ? 'divides the question' : 'is asked again'}`,
  },
  unplanned: {
    label: 'Why there are no subtasks',
    title: 'The question was not divided into subtasks',
    notYet: 'The question has not been divided into subtasks yet.',
    soFar: 'The planner’s reply cannot be used; it is asked again.',
    none: 'There are none: no division of the planner could be used.',
    ended: 'There are none: the run ended before the question was divided.',
    mended: 'The planner’s first division could not be used; this is its second one.',
    reply: (ordinal: number, endpoint: string) => `Reply ${ordinal} of the planner on ${endpoint}`,
    problem: (what: string) => `What is wrong with it: ${what}`,
    nothing: 'It wrote nothing.',
    copy: (ordinal: number) => `Copy reply ${ordinal}`,
  },
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
  },
  more: (count: number) => `and ${count} more`,
  noAnswer: 'no answer',
  by: (role: string, endpoint: string) => `${role} on ${endpoint}`,
  counts: 'counts',
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
    gate: (share: string) => `gate ${share}`,
    performance: 'Performance',
    profile: (reward: string, cost: string) => `R\u00A0${reward}, C\u00A0${cost}`,
    exploration: 'Exploration',
    chosen: (count: number, selections: number) => `${count} of ${selections}`,
    score: 'UCB score',
    reward: 'Reward',
    answer: 'Answer',
    legend:
      'Score = gate · performance + exploration; the gate opens at the threshold of similarity. R: mean reward so far, C: mean cost, both as they were then. Below exploration: how often it was chosen, of all selections.',
  },
  nobody: {
    title: 'Nobody is made for this subtask',
    body: (nearest: string, threshold: string) =>
      `The nearest agent reaches a similarity of ${nearest}, below the threshold of ${threshold}. Those below are tried nonetheless.`,
  },
  decided: {
    reward: (name: string, value: string) => `The answer of ${name} counts: it earned ${value}.`,
    most: (name: string, count: number, all: number) =>
      `The answer of ${name} counts: ${count} of ${many(all, 'agent', 'agents')} gave it.`,
  },
} as const
