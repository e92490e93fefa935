/** What is said on the clock of a run. */
import { many } from './many'

export const text = {
  label: 'Timeline',
  name: 'Who, or which tool',
  start: 'Starts at',
  duration: 'Takes',
  table: 'As table',
  chart: 'As chart',
  peak: (count: number) => `at most ${many(count, 'agent', 'agents')} at once`,
  open: 'still working',
  empty: 'Bars appear as agents, or a planner, start.',
  hint: 'Point at a bar or walk with the arrow keys for its numbers.',
  attempt: 'Attempt',
} as const
