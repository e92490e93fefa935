/** Whether a question would end at its planner: a model that small divides no question into subtasks. */
import type { Endpoint } from '@/lib/api/queries'

import type { Draft } from './draft-store'
import type { Choices } from './use-ask'

const SIZE = /(?<![a-z0-9.])(\d{1,6}(?:\.\d{1,6})?)([mb])(?![a-z0-9])/gi
/** Below it no plan was ever read: see the results of ReSo with models of half a billion. */
const LEAST_PARAMETERS = 1e9
/** The setting of methods that have a model divide the question. */
const PLANNER = 'planner_endpoint'

/** As its name tells it: `smollm2-135m`, `Qwen2.5-0.5B`. null: it tells none. */
export function parametersOf(model: string): number | null {
  const sizes = [...model.matchAll(SIZE)].map(
    ([, size, unit]) => Number(size) * (unit?.toLowerCase() === 'm' ? 1e6 : 1e9),
  )
  return sizes.length > 0 ? Math.max(...sizes) : null
}

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
  if (!planner) return null
  const size = parametersOf(planner.model)
  return size !== null && size < LEAST_PARAMETERS ? planner : null
}
