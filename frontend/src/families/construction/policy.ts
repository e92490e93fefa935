/** The settings of a construction policy as the run stored them, else as the method declares them. */
import { useRunMethod, type RunMethod } from '@/components/run/use-run-method'

export interface Policy {
  readonly maxSteps: number | null
  /** null when edges are drawn at random, or when it is not known. */
  readonly edgeThreshold: number | null
  readonly edgesAreDrawn: boolean
}

export const usePolicy = (): Policy => policyOf(useRunMethod())

export function policyOf({ method, config }: RunMethod): Policy {
  const setting = (name: string): unknown => config[name] ?? defaultOf(method?.config_schema, name)
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
