/** Whether a question would end at its planner: what counts as a small model divides no question into
 * subtasks. */
import type { Endpoint } from '@/lib/api/queries'

import type { Draft } from './draft-store'
import type { Choices } from './use-ask'

/** The setting of methods that have a model divide the question. */
const PLANNER = 'planner_endpoint'

/** The endpoint that would have to plan and cannot; null where none has to, or it may be able to. */
export function smallPlanner(
  draft: Pick<Draft, 'task' | 'config'>,
  { method, fields, endpoint }: Choices,
  endpoints: readonly Endpoint[],
): Endpoint | null {
  // A task of a dataset may bring its subtasks along.
  if (!method || draft.task !== null || !fields.some(({ key }) => key === PLANNER)) return null
  const chosen = draft.config[method.key]?.[PLANNER]
  const planner = endpoints.find(({ key }) => key === chosen) ?? endpoint
  return planner?.is_small ? planner : null
}
