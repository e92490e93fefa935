/** What is said of subtasks wherever a run's events and agents are told. */
import { many } from '@/strings/many'

export const text = {
  progress: 'Subtasks that are answered',
  spokenOf: (count: number, subtasks: number, left: string | null) =>
    `${count} of ${many(subtasks, 'subtask is', 'subtasks are')} answered${left === null ? '' : `, about ${left} left`}`,
  /** Of a model that divides the question. */
  planner: {
    name: (ordinal: number) => (ordinal === 1 ? 'Planner' : 'Planner, asked again'),
    on: (ordinal: number, endpoint: string) =>
      `${ordinal === 1 ? 'divides the question' : 'mends its reply'}, on ${endpoint}`,
    asked: (ordinal: number) =>
      ordinal === 1 ? 'The planner is asked to divide the question' : 'The planner is asked again',
  },
  rejected: 'The division cannot be used',
  views: 'Subtasks or agents',
  tab: 'Subtasks',
  agents: 'Agents',
  name: (ordinal: number) => `Subtask ${ordinal}`,
  short: (ordinal: number, what: string) => `${ordinal}. ${what}`,
  why: {
    picked: (reasons: string, exploration: string) => `Picked because: ${reasons}; ${exploration}.`,
    suits: (value: string, threshold: string) => `it suits the subtask (${value} ≥ ${threshold})`,
    misses: (value: string, threshold: string) =>
      `it is not made for the subtask (${value} < ${threshold})`,
    shut: 'so what it earned does not count',
    gated: (share: string) => `what it earned counts by ${share}`,
    earned: (reward: string, count: number) =>
      `its answers earned ${reward} so far over ${many(count, 'task', 'tasks')}`,
    less: (cost: string) => `, less ${cost} for what they cost`,
    unknown: 'it has answered nothing so far',
    explores: (value: string) => `exploration adds ${value}`,
    first: 'nobody has been chosen so far, so the most similar agent comes first',
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
  nobody: 'Nobody’s answer counts.',
} as const
