/** Sums over a run in which unknown stays unknown. */
import { currentAttempt, isEnded, type RunView, type UsageView } from './run-view'

export interface Totals {
  /** Of the team that was built; the summary agent comes with the method, as in the runs list. */
  readonly agents: number
  /** Whether a summary agent speaks beside them: the graph shows it, too. */
  readonly hasSummary: boolean
  /** null until the first agent, or another call, has reported. */
  readonly usage: UsageView | null
  /** Seconds from start to end; null while it runs or when it never started. */
  readonly seconds: number | null
  /** Unix seconds by the worker's clock, while running. */
  readonly startedAt: number | null
}

export function totalsOf(view: RunView): Totals {
  const attempt = currentAttempt(view)
  const agents = attempt ? [...attempt.agents.values()] : []
  return {
    agents: agents.filter((agent) => agent.status !== 'removed' && !agent.summary).length,
    hasSummary: agents.some(({ summary }) => summary),
    usage: usageSoFar(view),
    seconds: secondsTaken(view),
    startedAt: view.status === 'running' ? (attempt?.start?.at ?? null) : null,
  }
}

function usageSoFar(view: RunView): UsageView | null {
  const attempt = currentAttempt(view)
  if (attempt?.outcome) return attempt.outcome.usage
  const stored = view.detail?.usage
  if (isEnded(view.status) && stored) {
    return {
      promptTokens: stored.prompt_tokens ?? null,
      completionTokens: stored.completion_tokens ?? null,
      cost: stored.cost ?? null,
    }
  }
  const known = [
    ...(attempt?.otherUsage ?? []),
    ...[...(attempt?.agents.values() ?? [])].flatMap(({ usage }) => usage ?? []),
  ]
  return known.length > 0 ? known.reduce(addUsage) : null
}

function secondsTaken(view: RunView): number | null {
  if (view.status === 'waiting') return currentAttempt(view)?.pause?.seconds ?? null
  if (!isEnded(view.status)) return null
  return currentAttempt(view)?.outcome?.seconds ?? view.detail?.seconds ?? null
}

export function addUsage(left: UsageView, right: UsageView): UsageView {
  return {
    promptTokens: add(left.promptTokens, right.promptTokens),
    completionTokens: add(left.completionTokens, right.completionTokens),
    cost: add(left.cost, right.cost),
  }
}

/** Prompt and completion tokens together; null when either is unknown. */
export function tokensOf(usage: UsageView | null): number | null {
  return usage ? add(usage.promptTokens, usage.completionTokens) : null
}

function add(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : left + right
}
