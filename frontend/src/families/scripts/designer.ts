import type { RunEvent } from '@/graph/frames'

const FAMILY = 'designer'

/** An agent starts that writes the script. */
export const isDesigner = (event: RunEvent): boolean =>
  event.event === 'agent_started' && event.family === FAMILY
