import type { Endpoint } from '@/lib/api/queries'
import { text } from '@/strings/designs'

import type { DesignAgent } from './edits'

const words = text.panel

/** When an agent refuses, and whether its prompt says so. `asked`: the endpoint that it names, if it does. */
export function refusalOf(agent: DesignAgent, asked: Endpoint | undefined): string {
  const condition = agent.role.refuse_condition
  if (condition === '') return ''
  if (!agent.endpoint) return words.refuseMayNotBeTold(condition)
  return asked?.is_small === true ? words.refuseNotTold(condition) : condition
}
