/**
 * A family of methods, such as those that build their team step by step: what its events do, and what trace,
 * timeline and replay show of them. All other graph code names no family; its callers pass the list in.
 */
import type { AttemptDraft } from './attempt-draft'
import type { RunEvent } from './frames'
import type { AgentStatus, AgentView, AttemptView, UsageView } from './run-view'
import type { TraceNode } from './tree'

export type Named<E extends RunEvent['event']> = Extract<RunEvent, { event: E }>

/** What one of a family's events does. */
export interface OwnEvent<E extends RunEvent> {
  /** Its effect on the attempt. */
  readonly fold?: (draft: AttemptDraft, event: E) => void
  /** Rows of the trace that begin with it; the replay marks the first. Names inside the attempt, whose own row
   * is ''. */
  readonly rows?: (event: E) => readonly string[]
  /** The replay stops at it and shows this text. */
  readonly moment?: (event: E, told: Told) => string
}

/** What the text of a moment is made from. */
export interface Told {
  /** The attempt at its end. */
  readonly whole: AttemptView
  readonly nameOf: (agent: string | null) => string
  readonly roleName: (key: string) => string
}

/** What a family makes its branches with. Passed in, so that this code is fetched with the trace alone. */
export interface Tree {
  readonly names: ReadonlyMap<string, string>
  /** `row`: a name inside the attempt. */
  readonly leaf: (row: string, kind: string, label: string) => TraceNode
  readonly agent: (agent: AgentView) => TraceNode
}

/** Work on the timeline that is no agent's. */
export interface Bar {
  /** Its row of the trace, a name inside the attempt. */
  readonly row: string
  readonly kind: string
  readonly label: string
  readonly family: string | null
  readonly status: AgentStatus
  readonly startedAt: number
  readonly endedAt: number | null
  readonly usage: UsageView | null
}

/** What a family adds to an agent's row, such as the subtask that it was asked. */
export interface AgentFact {
  /** Head of its column: "Subtask" */
  readonly title: string
  /** "Subtask 4" */
  readonly name: string
  /** "4. How much …" */
  readonly short: string
  /** "How much …" */
  readonly text: string
}

export interface Progress {
  readonly done: number
  readonly total: number
  readonly words: {
    readonly progress: string
    readonly spokenOf: (done: number, total: number, left: string | null) => string
  }
}

/** What a family's state is read from. It stays the same object while agents write. */
type Holder = Pick<AttemptView, 'families'>

export interface GraphFamily {
  /** Names its state in `AttemptView.families`. */
  readonly key: string
  readonly events: { readonly [E in RunEvent['event']]?: OwnEvent<Named<E>> }
  /** Its rows of the trace. Agents that stand in none of them follow after. */
  readonly branches?: (attempt: AttemptView, tree: Tree) => readonly TraceNode[]
  readonly bars?: (attempt: AttemptView) => readonly Bar[]
  readonly factOf?: (attempt: Holder, agent: string) => AgentFact | null
  /** How far the attempt is. 'open': the end is not known. null: its agents are counted. */
  readonly progress?: (attempt: AttemptView) => Progress | 'open' | null
}

/** What a family keeps of an attempt; `empty` before its first event. */
export function kept<S>(key: string, empty: S) {
  const of = (attempt: Holder | null): S => (attempt?.families[key] as S | undefined) ?? empty
  const change = (draft: AttemptDraft, changed: (known: S) => S): void => {
    const known = of(draft)
    const next = changed(known)
    if (next !== known) draft.keep(key, next)
  }
  return { of, change }
}

/** Whether the family has kept anything of the attempt. */
export const tells = ({ key }: GraphFamily, { families }: AttemptView): boolean => key in families

/** What the families do with an event. */
export const ownEvents = (
  families: readonly GraphFamily[],
  { event }: RunEvent,
): readonly OwnEvent<RunEvent>[] =>
  families.flatMap(({ events }) => (events[event] as OwnEvent<RunEvent> | undefined) ?? [])

/** The first answer of a family that is not null. */
export function firstOf<F extends GraphFamily, T>(
  families: readonly F[],
  ask: (family: F) => T | null | undefined,
): T | null {
  for (const family of families) {
    const answer = ask(family)
    if (answer != null) return answer
  }
  return null
}
