/**
 * What a person can see of a run, derived from its frames and from nothing else.
 *
 * Unknown numbers are `null`, never 0. Times are Unix seconds by the worker's clock.
 */
import { EventLog } from './event-log'
import type { FailedTry, Failure, RunDetail, Source } from './frames'
import type { LiveText } from './live-text'

export type AgentStatus =
  | 'waiting'
  /** The run waits before it for a person. */
  | 'held'
  | 'active'
  | 'done'
  | 'reused'
  | 'refused'
  | 'failed'
  /** It was working when the run ended or its worker vanished. */
  | 'stopped'
  | 'removed'

export interface UsageView {
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  /** USD */
  readonly cost: number | null
}

export interface ToolCallView {
  readonly callId: string
  readonly tool: string
  /** The reply that asked for it was cut at its token limit. */
  readonly truncated: boolean
  readonly arguments: Readonly<Record<string, unknown>>
  readonly startedAt: number
  readonly endedAt: number | null
  readonly ok: boolean | null
  readonly output: string | null
  readonly seconds: number | null
  /** Pages and files that it read. */
  readonly sources: readonly Source[]
  /** The run had asked the same before. */
  readonly cached: boolean
  /** There was more than the tool may read. */
  readonly cut: boolean
  /** Id of a picture of the page, as people see it. */
  readonly picture: string | null
}

export interface ChatMessage {
  readonly role: string
  readonly content: string
}

export interface AgentView {
  readonly id: string
  /** 1, 2, … in the order in which the agents became known. */
  readonly ordinal: number
  readonly roleKey: string
  readonly roleName: string
  /** Of those in which the speaker of this role speaks; null when it speaks once. */
  readonly round: number | null
  readonly family: string | null
  readonly summary: boolean
  readonly status: AgentStatus
  /** What it had come to before DELETE took it away. */
  readonly outcome: AgentStatus
  /** False while it may still turn out to read others, so that it is not placed too early. */
  readonly settled: boolean
  readonly reads: readonly string[]
  readonly endpoint: string | null
  readonly prompt: readonly ChatMessage[]
  readonly message: string | null
  /** What its model wrote for nobody; "" for none. */
  readonly thoughts: string
  readonly answer: string | null
  readonly tools: readonly ToolCallView[]
  readonly usage: UsageView | null
  readonly seconds: number | null
  readonly calls: number | null
  readonly retries: number | null
  /** Why its calls were made again, the first ones. */
  readonly failedTries: readonly FailedTry[]
  readonly cached: boolean | null
  readonly truncated: boolean
  /** Of its calls, those whose reply was cut; null: not told, as by an older studio. */
  readonly cutCalls: number | null
  /** Tokens that its last reply might have, and which limit that was; null: not told. */
  readonly tokenLimit: number | null
  readonly limitedBy: 'call' | 'context' | 'run' | null
  /** The server did not take the temperature asked for, and sampled at its own. */
  readonly ownTemperature: boolean
  /** Not said in this run: kept from the one that it forks, edited by a person, or a person's. */
  readonly given: 'kept' | 'edited' | 'person' | null
  readonly failure: Failure | null
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly removedAt: number | null
}

export interface EdgeView {
  readonly id: string
  readonly source: string
  readonly target: string
  /** null when nobody sampled it: the method fixed it. */
  readonly probability: number | null
  /** It points back: the target, which spoke before, was sent the source's message. */
  readonly back: boolean
}

export interface AnswerGroupView {
  readonly answer: string
  readonly agentIds: readonly string[]
}

export interface IntermediateView {
  readonly step: number
  readonly answer: string | null
  readonly agentId: string | null
  /** Whose answers a vote counted as one; none where no vote was held, or by an older studio. */
  readonly groups: readonly AnswerGroupView[]
  readonly at: number
}

export interface StartView {
  readonly at: number
  readonly method: string
  readonly query: string
  readonly seed: number
  readonly endpoint: string
  readonly model: string
  readonly pool: string | null
  readonly poolVersion: number | null
  readonly checkpoint: string | null
  readonly trained: boolean | null
}

export interface OutcomeView {
  readonly status: 'succeeded' | 'failed' | 'cancelled'
  readonly at: number
  readonly answer: string | null
  readonly message: string | null
  readonly failure: Failure | null
  readonly cancelledBy: string | null
  readonly usage: UsageView
  readonly seconds: number | null
}

/** What the task's verifier said of the answer. */
export interface VerdictView {
  readonly verifier: string
  readonly correct: boolean
  /** 0 to 1 */
  readonly reward: number
  readonly explanation: string
}

export interface LossView {
  readonly at: number
  readonly failure: Failure
  readonly willRetry: boolean
}

/** What an attempt took over from a lost one; it went on from there. */
export interface TakenUpView {
  readonly at: number
  /** Number of the lost attempt. */
  readonly from: number
  /** How many parts of the work it had finished. */
  readonly parts: number
}

export interface AttemptView {
  readonly attempt: number
  /** Sorted by seq, no seq twice. */
  readonly events: EventLog
  readonly start: StartView | null
  /** In order of appearance. */
  readonly agents: ReadonlyMap<string, AgentView>
  readonly edges: readonly EdgeView[]
  readonly intermediates: readonly IntermediateView[]
  /** Of calls that no agent made. */
  readonly otherUsage: readonly UsageView[]
  /** Agents whose answers make the attempt's; null: all that no other agent reads. */
  readonly answeredBy: readonly string[] | null
  /** What each family keeps, by its key; nothing before its first event. */
  readonly families: Readonly<Record<string, unknown>>
  readonly live: ReadonlyMap<string, LiveText>
  readonly outcome: OutcomeView | null
  readonly loss: LossView | null
  /** null: it began at the run's start. */
  readonly takenUp: TakenUpView | null
  readonly pause: PauseView | null
  /** null: not judged, or not yet. */
  readonly verdict: VerdictView | null
  /** The newest time that any event of this attempt carries. */
  readonly lastAt: number | null
}

/** What an attempt ended in when only held agents were left; the run goes on as the next one. */
export interface PauseView {
  readonly at: number
  readonly waitingFor: readonly string[]
  /** Those of them whom a person answers for. */
  readonly asked: readonly string[]
  readonly seconds: number
}

export type RunStatus = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'

export interface RunView {
  readonly runId: string
  readonly detail: RunDetail | null
  readonly status: RunStatus
  /** By attempt number, the last one is the current one. Empty until the first event. */
  readonly attempts: readonly AttemptView[]
}

export function emptyAttempt(attempt: number): AttemptView {
  return {
    attempt,
    events: EventLog.EMPTY,
    start: null,
    agents: new Map(),
    edges: [],
    intermediates: [],
    otherUsage: [],
    answeredBy: null,
    families: {},
    live: new Map(),
    outcome: null,
    loss: null,
    takenUp: null,
    pause: null,
    verdict: null,
    lastAt: null,
  }
}

export function emptyRun(runId: string): RunView {
  return { runId, detail: null, status: 'queued', attempts: [] }
}

export function currentAttempt(view: RunView): AttemptView | null {
  return view.attempts.at(-1) ?? null
}

export const hasStopped = ({ outcome, loss }: AttemptView): boolean =>
  outcome !== null || loss !== null

/** The attempt after a pause holds all that the one before it did. */
export function toldAttempts({ attempts }: RunView): readonly AttemptView[] {
  return attempts.filter(({ pause }, index) => !pause || index === attempts.length - 1)
}

/** The one of this number, else the current one. */
export function toldAttempt(view: RunView, number: number | null): AttemptView | null {
  return toldAttempts(view).find(({ attempt }) => attempt === number) ?? currentAttempt(view)
}

export function isEnded(status: RunStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled'
}
