/** Methods that build their team action by action, as MasHost does. */
import { GitCommitHorizontal } from 'lucide-react'

import { later } from '@/components/later'
import type { RunFamily } from '@/components/run/family-views'

import { EVENTS } from './events'
import { policyOf } from './policy'
import { constructionOf, KEY, stepOf } from './steps'
import { branches } from './trace'
import { text } from './words'

/** Fetched once a run is known to be built this way. */
const views = () => import('./views')

export const construction: RunFamily = {
  key: KEY,
  events: EVENTS,
  branches,
  progress: (attempt) => (constructionOf(attempt).steps.length > 0 ? 'open' : null),
  rowLooks: { step: { icon: GitCommitHorizontal, opensAtFirst: true } },
  side: {
    label: text.tab,
    // Seen in the trace; before that, by what the method says of itself.
    isShown: (attempt, told) =>
      constructionOf(attempt).steps.length > 0 ||
      ((attempt?.agents.size ?? 0) === 0 &&
        told.method?.learns === true &&
        policyOf(told).maxSteps !== null),
    Panel: later(async () => (await views()).ConstructionPanel),
  },
  why: {
    isKnown: (attempt, agent) => {
      const { steps, senders } = constructionOf(attempt)
      return stepOf(steps, agent) !== undefined || senders.has(agent)
    },
    Why: later(async () => (await views()).WhySampled, { waiting: () => null }),
  },
  Credits: later(async () => (await import('./credit-list')).CreditList),
}
