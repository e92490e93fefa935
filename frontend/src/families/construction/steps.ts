/** A team that a policy builds action by action (MasHost): what it sampled, and who revised for whom. */
import { kept } from '@/graph/family'

export const KEY = 'construction'

export interface CandidateView {
  readonly action: string
  readonly probability: number
  readonly masked: boolean
}

export interface EdgeCandidateView {
  readonly source: string
  readonly probability: number
  readonly chosen: boolean
}

export interface StepView {
  readonly step: number
  readonly at: number
  readonly kind: 'add' | 'delete' | 'exit'
  readonly choice: string
  readonly agentId: string | null
  readonly greedy: boolean
  /** The query is unlike those that the checkpoint learned from: the untrained policy decided. */
  readonly outOfScope: boolean
  readonly logProbability: number
  readonly candidates: readonly CandidateView[]
  readonly edges: readonly EdgeCandidateView[]
  /** Whom it may send its message back to; `source` is that agent. */
  readonly back: readonly EdgeCandidateView[]
}

interface Construction {
  readonly steps: readonly StepView[]
  /** By a revision's agent: the agent that sent its message back and so asked for it. */
  readonly senders: ReadonlyMap<string, string>
}

export const { of: constructionOf, change: changeConstruction } = kept<Construction>(KEY, {
  steps: [],
  senders: new Map(),
})

/** The step that added an agent. */
export const stepOf = (steps: readonly StepView[], agent: string): StepView | undefined =>
  steps.find(({ kind, agentId }) => kind === 'add' && agentId === agent)
