import type { AgentCurve } from '@/lib/api/agents'

/** An agent of which nothing is known. */
export const agent = (part: Partial<AgentCurve['agent']> = {}): AgentCurve['agent'] => ({
  id: 1,
  endpoint: 'e',
  endpoint_name: 'E',
  model: 'm',
  pool: 'p',
  pool_name: 'P',
  role_key: 'r',
  role_name: 'R',
  family: 'code',
  tools: [],
  reward: 0,
  cost: 0,
  count: 0,
  recorded: 0,
  created_at: '',
  updated_at: '',
  ...part,
})
