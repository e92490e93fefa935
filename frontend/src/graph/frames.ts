/** What the stream delivers for one run. The server is free to repeat or reorder frames; the reducer is not confused by it. */
import type { Event as RunEvent, Failure, Usage } from '@/generated/events'

export type { RunEvent, Failure, Usage }

/** The part of a stored run that this page draws. */
export interface RunDetail {
  readonly id: string
  readonly status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'
  readonly attempt: number
  readonly max_attempts: number
  readonly method: string
  readonly method_config: Readonly<Record<string, unknown>>
  readonly endpoint: string
  readonly pool: string | null
  readonly pool_version: number | null
  readonly checkpoint: string | null
  readonly seed: number
  readonly query: string
  readonly reference: string | null
  readonly answer: string | null
  readonly message: string | null
  readonly failure: Failure | null
  readonly usage: {
    readonly prompt_tokens: number | null
    readonly completion_tokens: number | null
    readonly cost: number | null
  }
  readonly seconds: number | null
  readonly created_by: string
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly retry_of: string | null
}

/** One stored event; `id` is "attempt.seq". */
export interface Envelope {
  readonly attempt: number
  readonly seq: number
  readonly id: string
  readonly event: RunEvent
}

export interface TraceFrame extends Envelope {
  readonly type: 'trace'
  readonly run: string
}

export interface DeltaFrame {
  readonly type: 'delta'
  readonly run: string
  readonly attempt: number
  readonly agent_id: string
  readonly text: string
  /** Characters of this agent's text that come before `text`. */
  readonly offset: number
}

export interface SnapshotFrame {
  readonly type: 'snapshot'
  readonly run: string
  readonly detail: RunDetail
  readonly events: readonly Envelope[]
  readonly partial: Readonly<Record<string, string>>
}

export interface StatusFrame {
  readonly type: 'status' | 'end'
  readonly run: string
  readonly detail: RunDetail
}

export type Frame = TraceFrame | DeltaFrame | SnapshotFrame | StatusFrame
