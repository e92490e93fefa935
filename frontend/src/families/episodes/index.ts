/** Methods whose team plays an episode in an environment, as AT-GRPO does. */
import { later } from '@/components/later'
import type { LaterFamily } from '@/components/run/family-views'

export const episodes = {
  tells: ['episode_started', 'episode_moved'],
  parameter: 'turn',
  load: async () => (await import('./family')).family,
  Still: later(async () => (await import('./views')).Still),
} as const satisfies LaterFamily
