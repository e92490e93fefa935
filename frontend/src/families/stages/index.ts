/** Methods that solve a task stage by stage, with a workflow chosen for each, as EvoMAS does. */
import type { LaterFamily } from '@/components/run/family-views'

export const stages = {
  tells: ['stage_planned', 'layer_sampled', 'stage_assessed', 'stage_ended'],
  parameter: 'stage',
  load: async () => (await import('./family')).family,
} as const satisfies LaterFamily
