/** What the stream carries, as the reducers take it. */
import type { components } from '@/generated/api'
import type { Event } from '@/generated/events'

export type RunDetail = components['schemas']['Run']

/** One stored event of a run; `id` is "attempt.seq". */
export interface Envelope {
  readonly attempt: number
  readonly seq: number
  readonly id: string
  readonly event: Event
}

export interface TraceFrame extends Envelope {
  readonly type: 'trace'
  readonly run: string
}

/** Streamed text: `offset` characters of this agent's text come before `text`. */
export interface DeltaFrame {
  readonly type: 'delta'
  readonly run: string
  readonly attempt: number
  readonly agent_id: string
  readonly text: string
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

export type Connection = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'polling' | 'offline'

export const FRAME_NAMES = ['snapshot', 'trace', 'delta', 'status', 'end'] as const

/** `event:` and `data:` of one SSE message as a frame; null when it is not one of ours. */
export function parseFrame(name: string, data: string): Frame | null {
  let body: unknown
  try {
    body = JSON.parse(data)
  } catch {
    return null
  }
  const known = (FRAME_NAMES as readonly string[]).includes(name)
  if (!known || typeof body !== 'object' || body === null || !('run' in body)) return null
  return { ...body, type: name } as Frame
}

/** Order of event ids "attempt.seq": negative when `left` is older. */
export function compareIds(left: string, right: string): number {
  const [leftAttempt = 0, leftSeq = 0] = left.split('.').map(Number)
  const [rightAttempt = 0, rightSeq = 0] = right.split('.').map(Number)
  return leftAttempt - rightAttempt || leftSeq - rightSeq
}
