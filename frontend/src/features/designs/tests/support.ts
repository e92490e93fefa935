/** Small designs to try things on. */
import type { Design } from '@/features/designs/use-designs'
import { EMPTY, type DesignAgent, type DesignSpec, type DraftRole } from '@/features/designs/edits'

export const role = (part: Partial<DraftRole> = {}): DraftRole => ({
  key: 'solver',
  name: 'Solver',
  family: 'mathematics',
  description: '',
  capabilities: [],
  prompt: 'Solve it.',
  tools: [],
  output_form: '',
  refuse_condition: '',
  ...part,
})

export const agent = (id: string, part: Partial<DesignAgent> = {}): DesignAgent => ({
  id,
  role: role({ name: id.toUpperCase() }),
  endpoint: null,
  temperature: 0,
  sample: null,
  x: 0,
  y: 0,
  ...part,
})

/** `design('abc', 'ab bc')`: a is read by b, b by c. */
export const design = (ids: string, edges = '', part: Partial<DesignSpec> = {}): DesignSpec => ({
  ...EMPTY,
  agents: ids.split('').map((id, index) => agent(id, { x: 300 * index })),
  edges: edges
    .split(' ')
    .flatMap(([source, target]) => (source && target ? [{ source, target }] : [])),
  ...part,
})

export const stored = (draft: DesignSpec, part: Partial<Design> = {}): Design => ({
  id: 'd1',
  name: 'Mine',
  revision: 1,
  agent_count: draft.agents.length,
  is_script: draft.script !== null,
  meaning: null,
  version_count: 0,
  origin: 'drawn',
  from_run: null,
  created_by: 'ada',
  updated_by: 'ada',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  problems: [],
  versions: [],
  draft,
  ...part,
})
