/** Methods that divide the question into subtasks, as ReSo does. */
import type { LaterFamily } from '@/components/run/family-views'

export const subtasks = {
  tells: [
    'planner_asked',
    'plan_rejected',
    'subtasks_planned',
    'candidates_scored',
    'subtask_answered',
  ],
  parameter: 'subtask',
  load: async () => (await import('./family')).family,
} as const satisfies LaterFamily
