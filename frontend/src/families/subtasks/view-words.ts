/** Sentences of the views of a question's subtasks: which agents answer them, why, and whose answer counts. */
import { many } from '@/strings/many'

import type { SubtaskStatus } from './task-graph'

export const text = {
  title: 'Subtasks',
  planned: {
    llm: 'Divided by a model',
    own: 'Divided by the dataset',
  },
  planner: {
    atWork: (ordinal: number, endpoint: string) =>
      `The planner on ${endpoint} ${ordinal === 1 ? 'divides the question' : 'tries again'}`,
  },
  unplanned: {
    label: 'Why there are no subtasks',
    title: 'The question was not divided into subtasks',
    notYet: 'The question has not been divided into subtasks yet.',
    soFar: 'The planner’s division is not valid. The planner tries again.',
    none: 'There are no subtasks: no division of the planner was valid.',
    ended: 'There are no subtasks: the run ended before the planner divided the question.',
    mended: 'The planner’s first division was not valid. This is its second one.',
    reply: (ordinal: number, endpoint: string) => `Reply ${ordinal} of the planner on ${endpoint}`,
    problem: (what: string) => `Problem: ${what}`,
    nothing: 'The reply is empty.',
    copy: (ordinal: number) => `Copy reply ${ordinal}`,
  },
  final: 'final',
  finalHelp: 'Its answer is the answer to the question.',
  status: {
    waiting: 'waiting',
    searching: 'searching agents',
    asked: 'being answered',
    answered: 'answered',
    unsolved: 'not solved',
    stopped: 'stopped',
    unreached: 'not reached',
  } satisfies Record<SubtaskStatus, string>,
  statusHelp: {
    waiting: 'It waits for the subtasks before it.',
    searching: 'ReSo searches agents that suit the subtask.',
    asked: 'The chosen agents answer it.',
    answered: '',
    unsolved: 'No answer was good enough.',
    stopped: 'The run ended before its answer.',
    unreached: 'The run ended first: an earlier subtask was not solved, or the run stopped.',
  } satisfies Record<SubtaskStatus, string>,
  canvas: {
    label: 'Graph of subtasks',
    help: 'Tab goes to a subtask, the arrow keys move between subtasks, Enter opens one. A line goes from a subtask to those that need its answer.',
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
    nobodyVoted: 'No agent gave an answer.',
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
      'Score = gate · performance + exploration. The gate opens at the similarity threshold. R is the mean reward and C the mean cost at that time. Below exploration: how often the agent was chosen, of all selections.',
  },
  nobody: {
    title: 'No agent suits this subtask',
    body: (nearest: string, threshold: string) =>
      `The nearest agent has a similarity of ${nearest}, below the threshold of ${threshold}. ReSo tries the agents below all the same.`,
  },
  decided: {
    reward: (name: string, value: string) => `The answer of ${name} counts: it earned ${value}.`,
    most: (name: string, count: number, all: number) =>
      `The answer of ${name} counts: ${count} of ${many(all, 'agent', 'agents')} gave it.`,
  },
} as const
