/** What the stream carries, as the reducers take it. */
import type { components } from '@/generated/api'
import type { Event } from '@/generated/events'

export type RunDetail = components['schemas']['Run']
export type JobDetail = components['schemas']['Training']
export type EvaluationDetail = components['schemas']['Evaluation']

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

/** What a run sends. */
export type Frame = TraceFrame | DeltaFrame | SnapshotFrame | StatusFrame

/** A training as it is now, whenever it changed. */
export interface JobFrame {
  readonly type: 'job'
  readonly detail: JobDetail
}

/** One step of a training. */
export interface MetricFrame {
  readonly type: 'metric'
  readonly job: string
  readonly step: number
  readonly at: string
  readonly values: Readonly<Record<string, number>>
}

/** An evaluation as it is now, whenever it changed. */
export interface EvaluationFrame {
  readonly type: 'evaluation'
  readonly detail: EvaluationDetail
}

export type TrainingFrame = JobFrame | MetricFrame
export type AnyFrame = Frame | TrainingFrame | EvaluationFrame

/** What is watched: a run by its bare id, the others with their kind before it. */
export const jobTopic = (id: string): string => `job/${id}`
export const evaluationTopic = (id: string): string => `evaluation/${id}`

export type TopicKind = 'run' | 'job' | 'evaluation'

export function topicParts(topic: string): readonly [kind: TopicKind, id: string] {
  const [kind, id] = topic.split('/')
  return id !== undefined && (kind === 'job' || kind === 'evaluation') ? [kind, id] : ['run', topic]
}

export function topicOf(frame: AnyFrame): string {
  switch (frame.type) {
    case 'job':
      return jobTopic(frame.detail.id)
    case 'metric':
      return jobTopic(frame.job)
    case 'evaluation':
      return evaluationTopic(frame.detail.id)
    default:
      return frame.run
  }
}

const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled'])

/** Whether nothing follows this frame. */
export const isLast = (frame: AnyFrame): boolean =>
  frame.type === 'end' ||
  ((frame.type === 'job' || frame.type === 'evaluation') && ENDED.has(frame.detail.status))

export type Connection =
  | 'idle'
  | 'connecting'
  | 'live'
  | 'reconnecting'
  | 'polling'
  | 'offline'
  /** The session has ended: nothing is asked for until somebody subscribes or retries. */
  | 'signed-out'

export const FRAME_NAMES = [
  'snapshot',
  'trace',
  'delta',
  'status',
  'end',
  'job',
  'metric',
  'evaluation',
] as const

/** `event:` and `data:` of one SSE message as a frame; null when it is not one of ours. */
export function parseFrame(name: string, data: string): AnyFrame | null {
  let body: unknown
  try {
    body = JSON.parse(data)
  } catch {
    return null
  }
  const known = (FRAME_NAMES as readonly string[]).includes(name)
  if (!known || typeof body !== 'object' || body === null) return null
  if (name === 'job' || name === 'evaluation')
    return 'id' in body ? ({ type: name, detail: body } as AnyFrame) : null
  return 'run' in body || 'job' in body ? ({ ...body, type: name } as AnyFrame) : null
}

/** Order of event ids "attempt.seq": negative when `left` is older. */
export function compareIds(left: string, right: string): number {
  const [leftAttempt = 0, leftSeq = 0] = left.split('.').map(Number)
  const [rightAttempt = 0, rightSeq = 0] = right.split('.').map(Number)
  return leftAttempt - rightAttempt || leftSeq - rightSeq
}
