/** What a checkpoint tells of itself, and how two of them differ. */
import type { Checkpoint } from '@/lib/api/checkpoints'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The metrics of the step that it was saved at. */
export function metricsOf({ metrics }: Pick<Checkpoint, 'metrics'>): Record<string, number> {
  const pairs = isObject(metrics) ? Object.entries(metrics) : []
  return Object.fromEntries(
    pairs.filter((pair): pair is [string, number] => typeof pair[1] === 'number'),
  )
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
