/** What is asked about who would be picked, and what the answer says in a sentence. */
import type { components } from '@/generated/api'
import { formatCount, formatMetric } from '@/lib/format'

import { text } from '@/strings/agents'

type Schemas = components['schemas']
export type SearchWanted = Schemas['SearchWantedRequest']
export type Search = Schemas['Search']
export type Candidate = Schemas['Candidate']

export interface SearchDraft {
  readonly text: string
  readonly pool: string | null
  readonly endpoints: readonly string[]
  /** null: what is known now. */
  readonly checkpoint: string | null
  readonly k: number
  readonly threshold: number
  readonly gate: 'heaviside' | 'sigmoid'
  readonly exploration: 'paper' | 'log'
  readonly explorationWeight: number
  readonly costWeight: number
}

/** The settings of a training (the preset `studio`), as the API has them where they are left out: a run
 * explores only where it is told to. */
export const NEW_SEARCH: SearchDraft = {
  text: '',
  pool: null,
  endpoints: [],
  checkpoint: null,
  k: 5,
  threshold: 0.2,
  gate: 'heaviside',
  exploration: 'log',
  explorationWeight: 0.3,
  costWeight: 1,
}

export const bodyOf = (draft: SearchDraft, pool: string): SearchWanted => ({
  text: draft.text.trim(),
  pool,
  endpoints: [...draft.endpoints],
  checkpoint: draft.checkpoint,
  k: draft.k,
  threshold: draft.threshold,
  gate: draft.gate,
  exploration: draft.exploration,
  exploration_weight: draft.explorationWeight,
  cost_weight: draft.costWeight,
})

/** What an agent's score owes to what it has earned; the rest is exploration. */
export const quality = ({ similarity, performance }: Candidate): number => similarity * performance

export const nameOf = ({ role_name, endpoint, endpoint_name }: Candidate): string =>
  text.page.on(role_name, endpoint_name || endpoint)

/** Why the first is the first, in plain words. */
export function because(found: Search): string {
  const [first] = found.candidates
  if (!first) return ''
  const { because: words } = text.search
  const name = nameOf(first)
  const near = formatMetric(first.inner_product)
  const threshold = formatMetric(found.threshold)
  if (found.selections === 0) return words.nobodyKnown(name, near)
  if (first.count === 0) return words.untried(name, formatMetric(first.exploration))
  const earned = words.earned(
    formatMetric(first.reward),
    formatCount(first.count),
    formatMetric(first.cost),
  )
  if (first.exploration > Math.abs(quality(first)))
    return words.explored(name, formatCount(first.count), formatCount(found.selections), earned)
  return first.inner_product >= found.threshold
    ? words.suits(name, near, threshold, earned)
    : words.best(name, near, threshold, earned)
}
