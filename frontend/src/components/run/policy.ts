/** The settings of a construction policy as the run stored them, else as the method declares them. */
import { useQuery } from '@tanstack/react-query'

import { useRun } from '@/components/run/run-context'
import { queries } from '@/lib/api/queries'

export interface Policy {
  readonly maxSteps: number | null
  /** null when edges are drawn at random, or when it is not known. */
  readonly edgeThreshold: number | null
  readonly edgesAreDrawn: boolean
}

const NO_CONFIG: Readonly<Record<string, unknown>> = {}

export function usePolicy(): Policy {
  const method = useRun((state) => state.view.detail?.method ?? state.attempt?.start?.method)
  const config = useRun((state) => state.view.detail?.method_config ?? NO_CONFIG)
  const methods = useQuery(queries.methods).data
  const schema = methods?.find((each) => each.key === method)?.config_schema
  const setting = (name: string): unknown => config[name] ?? defaultOf(schema, name)
  const edgesAreDrawn = setting('edge_mode') === 'sample'
  return {
    maxSteps: asNumber(setting('max_steps')),
    edgeThreshold: edgesAreDrawn ? null : asNumber(setting('edge_threshold')),
    edgesAreDrawn,
  }
}

function defaultOf(schema: unknown, name: string): unknown {
  return member(member(member(schema, 'properties'), name), 'default')
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

const asNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null)
