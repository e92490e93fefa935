import { useQuery } from '@tanstack/react-query'

import { queries, type Method } from '@/lib/api/queries'

import { useRun } from './run-context'

export interface RunMethod {
  /** undefined: not fetched yet, or not known to this studio. */
  readonly method: Method | undefined
  /** The settings that the run stored. */
  readonly config: Readonly<Record<string, unknown>>
}

const NO_CONFIG: RunMethod['config'] = {}

export function useRunMethod(): RunMethod {
  const key = useRun((state) => state.view.detail?.method ?? state.attempt?.start?.method)
  const config = useRun((state) => state.view.detail?.method_config ?? NO_CONFIG)
  const method = useQuery(queries.methods).data?.find((each) => each.key === key)
  return { method, config }
}
