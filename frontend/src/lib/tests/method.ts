import type { Method } from '@/lib/api/queries'

export const method = (key: string, part: Partial<Method> = {}): Method => ({
  key,
  name: key,
  description: '',
  source: '',
  needs_pool: false,
  needs_design: false,
  is_default: false,
  learns: false,
  keeps_agents: false,
  own_endpoint: null,
  small_reply_tokens: null,
  has_default_checkpoint: false,
  config_schema: {},
  ...part,
})
