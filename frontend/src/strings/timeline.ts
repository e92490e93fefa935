/** Sentences of the timeline of a run. */
import { many } from './many'

export const text = {
  label: 'Timeline',
  name: 'Agent or tool',
  start: 'Start',
  duration: 'Duration',
  table: 'As table',
  chart: 'As chart',
  peak: (count: number) => `at most ${many(count, 'agent', 'agents')} at once`,
  open: 'still working',
  empty: 'A bar appears when an agent or a planner starts.',
  hint: 'Point at a bar, or use the arrow keys, to see its numbers.',
  attempt: 'Attempt',
} as const
