/** What a checkpoint tells of itself, and how two of them differ. */
import type { Checkpoint } from '@/lib/api/checkpoints'
import { isObject } from '@/lib/is-object'

/** The metrics of the step that it was saved at. */
export function metricsOf({ metrics }: Pick<Checkpoint, 'metrics'>): Record<string, number> {
  const pairs = isObject(metrics) ? Object.entries(metrics) : []
  return Object.fromEntries(
    pairs.filter((pair): pair is [string, number] => typeof pair[1] === 'number'),
  )
}

/** The pool whose roles it was made with; null where its recipe does not say. */
export const poolOf = ({ recipe }: Pick<Checkpoint, 'recipe'>): string | null =>
  isObject(recipe) && typeof recipe.pool === 'string' ? recipe.pool : null

/** As the studio judges them: what a single step earned is luck. */
const BEST_BY = 'held_out_reward'

/** The name of the best; of equals the later. null where there is nothing to choose from. */
export function bestOf(found: readonly Checkpoint[]): string | null {
  const value = (one: Checkpoint): number => metricsOf(one)[BEST_BY] ?? -Infinity
  if (found.length < 2 || !found.some((one) => BEST_BY in metricsOf(one))) return null
  const [first] = found.toSorted((one, other) => value(other) - value(one) || other.step - one.step)
  return first?.name ?? null
}

/**
 * What the numbers of a checkpoint rest on: answered tasks that were held out, and of its step the queries with the
 * systems that were sampled for each; null where its recipe does not say.
 */
export function countsOf({ recipe }: Pick<Checkpoint, 'recipe'>): {
  readonly heldOut: number | null
  readonly queries: number | null
  /** 1 where a method samples no systems: a query is answered once. */
  readonly systems: number
} {
  const config = isObject(recipe) && isObject(recipe.config) ? recipe.config : {}
  const { held_out, queries_per_step: queries, systems_per_query: systems } = config
  return {
    heldOut: typeof held_out === 'number' ? held_out : null,
    queries: typeof queries === 'number' ? queries : null,
    systems: typeof systems === 'number' ? systems : 1,
  }
}

/** The recipe as flat pairs: "config.beta" → "0.0001". What is told twice is shown once. */
export function recipeOf({ recipe }: Pick<Checkpoint, 'recipe'>): Map<string, string> {
  const flat = new Map<string, string>()
  const walk = (value: unknown, path: string): void => {
    if (isObject(value)) {
      for (const [key, inner] of Object.entries(value)) walk(inner, path ? `${path}.${key}` : key)
    } else if (path)
      flat.set(
        path,
        value === null ? '—' : typeof value === 'string' ? value : JSON.stringify(value),
      )
  }
  if (isObject(recipe)) walk({ ...recipe, ...(recipe.config ? { training: undefined } : {}) }, '')
  flat.delete('training')
  return flat
}

export interface Differing {
  readonly name: string
  readonly left: string
  readonly right: string
}

const SAYS_NOTHING = new Set(['step', 'job', 'name', 'kind'])

/** The settings in which two recipes differ, by name. */
export function differingSettings(left: Checkpoint, right: Checkpoint): Differing[] {
  const [ours, theirs] = [recipeOf(left), recipeOf(right)]
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .filter((name) => !SAYS_NOTHING.has(name) && ours.get(name) !== theirs.get(name))
    .sort((a, b) => a.localeCompare(b))
    .map((name) => ({ name, left: ours.get(name) ?? '—', right: theirs.get(name) ?? '—' }))
}
