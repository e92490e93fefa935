import { useQueries } from '@tanstack/react-query'

import { configFields, fieldsFrom, type ConfigField } from '@/lib/config-schema'

import { checkpointsQuery, checkpointUsed } from './checkpoints'
import type { Method } from './queries'

export type FieldsOf = (method: Method | undefined, checkpoint: string | null) => ConfigField[]

/**
 * The fields of a method's settings. What a run does not say is what its checkpoint was trained
 * under, not the method's default: so that is what stands in them.
 */
export function useFieldsOf(methods: readonly Method[] = []): FieldsOf {
  const learning = methods.filter(({ learns }) => learns)
  const known = useQueries({ queries: learning.map(({ key }) => checkpointsQuery(key)) })
  return (method, checkpoint) => {
    const index = learning.findIndex(({ key }) => key === method?.key)
    const settings = checkpointUsed(known[index]?.data, checkpoint)?.run_config
    return fieldsFrom(configFields(method?.config_schema), settings ?? {})
  }
}
