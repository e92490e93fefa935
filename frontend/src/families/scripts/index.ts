/** Methods whose team is a script, as MetaAgent-X writes it. */
import type { LaterFamily } from '@/components/run/family-views'

import { isDesigner } from './designer'

export const scripts = {
  tells: ['script_read', 'block_called', 'script_ended'],
  // The script is watched from its first word on.
  isWanted: isDesigner,
  parameter: 'block',
  load: async () => (await import('./family')).family,
} as const satisfies LaterFamily
