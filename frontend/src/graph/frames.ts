/** What the stream delivers for one run. The server is free to repeat or reorder frames; the reducer is not confused by it. */
export type {
  DeltaFrame,
  Envelope,
  Frame,
  RunDetail,
  SnapshotFrame,
  StatusFrame,
  TraceFrame,
} from '@/lib/stream/frames'
export type {
  AnswerGroup,
  Event as RunEvent,
  FailedTry,
  Failure,
  Source,
  Usage,
} from '@/generated/events'
