/** Sentences about subtasks in the trace, the timeline, the replay and the panel of an agent. */
import { many } from '@/strings/many'

export const text = {
  progress: 'Answered subtasks',
  spokenOf: (count: number, subtasks: number, left: string | null) =>
    `${count} of ${many(subtasks, 'subtask is', 'subtasks are')} answered${left === null ? '' : `, about ${left} left`}`,
  /** Of a model that divides the question. */
  planner: {
    name: (ordinal: number) => (ordinal === 1 ? 'Planner' : 'Planner, second try'),
    on: (ordinal: number, endpoint: string) =>
      `${ordinal === 1 ? 'divides the question' : 'corrects its reply'}, on ${endpoint}`,
    asked: (ordinal: number) =>
      ordinal === 1 ? 'The planner divides the question' : 'The planner tries again',
  },
  rejected: 'The division is not valid',
  views: 'Subtasks or agents',
  tab: 'Subtasks',
  agents: 'Agents',
  name: (ordinal: number) => `Subtask ${ordinal}`,
  short: (ordinal: number, what: string) => `${ordinal}. ${what}`,
  why: {
    picked: (reasons: string, exploration: string) => `Picked because: ${reasons}; ${exploration}.`,
    suits: (value: string, threshold: string) => `it suits the subtask (${value} ≥ ${threshold})`,
    misses: (value: string, threshold: string) =>
      `it does not suit the subtask (${value} < ${threshold})`,
    shut: 'so its rewards do not count',
    gated: (share: string) => `its rewards count by ${share}`,
    earned: (reward: string, count: number) =>
      `its answers earned ${reward} so far over ${many(count, 'task', 'tasks')}`,
    less: (cost: string) => `, minus ${cost} for their cost`,
    unknown: 'it has no reward yet',
    explores: (value: string) => `exploration adds ${value}`,
    first: 'no agent was chosen before, so the most similar agent comes first',
  },
  agent: {
    title: 'Subtask',
    counts: 'Its answer to the subtask counts.',
  },
  replay: {
    planned: (count: number) => `Divided into ${many(count, 'subtask', 'subtasks')}`,
    scored: (count: number, ordinal: number) =>
      `${many(count, 'agent', 'agents')} found for subtask ${ordinal}`,
    answered: (ordinal: number, answer: string) => `Subtask ${ordinal} is answered: ${answer}`,
    nobody: (ordinal: number) => `No answer to subtask ${ordinal} counts`,
  },
  nobody: 'No answer counts.',
} as const
