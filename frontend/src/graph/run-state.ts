/**
 * The pure reducer from stream frames to what the run page shows.
 *
 * Frames may repeat (ignored by attempt and seq), come late (the attempt is folded again from its sorted
 * events) or leave gaps in streamed text. Whatever a frame does not touch keeps its identity, so a
 * component that selects it does not render again.
 */
import { AttemptDraft } from './attempt-draft'
import type { GraphFamily } from './family'
import { foldEvent } from './fold-event'
import type { DeltaFrame, Envelope, Frame, RunDetail, SnapshotFrame, TraceFrame } from './frames'
import {
  currentAttempt,
  emptyAttempt,
  isEnded,
  type AttemptView,
  type RunStatus,
  type RunView,
} from './run-view'

type Families = readonly GraphFamily[]

export function applyFrame(state: RunView, frame: Frame, families: Families): RunView {
  if (frame.run !== state.runId) return state
  switch (frame.type) {
    case 'trace':
      return withStatus(withEvent(state, frame, families))
    case 'delta':
      return withDelta(state, frame)
    case 'snapshot':
      return withStatus(
        withPartial(withEvents(withDetail(state, frame.detail), frame.events, families), frame),
      )
    case 'status':
    case 'end':
      return withStatus(withDetail(state, frame.detail))
  }
}

function withDetail(state: RunView, detail: RunDetail): RunView {
  const older = state.detail && isEnded(state.detail.status) && !isEnded(detail.status)
  return older ? state : { ...state, detail }
}

function withEvent(state: RunView, frame: TraceFrame, families: Families): RunView {
  const { attempt, seq, id, event } = frame
  return updateAttempt(state, attempt, (known) =>
    foldInto(known, [{ attempt, seq, id, event }], families),
  )
}

function withEvents(state: RunView, envelopes: readonly Envelope[], families: Families): RunView {
  const byAttempt = new Map<number, Envelope[]>()
  for (const { attempt, seq, id, event } of envelopes) {
    const group = byAttempt.get(attempt) ?? []
    group.push({ attempt, seq, id, event })
    byAttempt.set(attempt, group)
  }
  let next = state
  for (const [attempt, group] of byAttempt) {
    next = updateAttempt(next, attempt, (known) => foldInto(known, group, families))
  }
  return next
}

function updateAttempt(
  state: RunView,
  attempt: number,
  change: (known: AttemptView) => AttemptView,
): RunView {
  const index = state.attempts.findIndex((other) => other.attempt === attempt)
  const known = state.attempts[index] ?? emptyAttempt(attempt)
  const changed = change(known)
  if (changed === known) return state
  const attempts =
    index >= 0
      ? state.attempts.with(index, changed)
      : [...state.attempts, changed].sort((a, b) => a.attempt - b.attempt)
  return { ...state, attempts }
}

function foldInto(
  attempt: AttemptView,
  envelopes: readonly Envelope[],
  families: Families,
): AttemptView {
  const sorted = isSorted(envelopes) ? envelopes : [...envelopes].sort((a, b) => a.seq - b.seq)
  const last = attempt.events.last?.seq ?? -Infinity
  const first = sorted[0]
  if (first && first.seq > last) return foldAll(attempt, sorted, families)
  const known = new Set(attempt.events.toArray().map((envelope) => envelope.seq))
  const fresh = sorted.filter((envelope) => !known.has(envelope.seq))
  const earliest = fresh[0]
  if (!earliest) return attempt
  if (earliest.seq > last) return foldAll(attempt, fresh, families)
  return foldAgain(attempt, fresh, families)
}

/** An event came late: everything is derived anew, except streamed text, which no event carries. */
function foldAgain(
  attempt: AttemptView,
  fresh: readonly Envelope[],
  families: Families,
): AttemptView {
  const sorted = [...attempt.events.toArray(), ...fresh].sort((a, b) => a.seq - b.seq)
  return foldAll({ ...emptyAttempt(attempt.attempt), live: attempt.live }, sorted, families)
}

/** `base` after these events, which follow its own in order of seq. */
export function foldAll(
  base: AttemptView,
  sorted: readonly Envelope[],
  families: Families,
): AttemptView {
  const draft = new AttemptDraft(base)
  let seq = -Infinity
  for (const envelope of sorted) {
    if (envelope.seq === seq) continue
    seq = envelope.seq
    draft.append(envelope)
    foldEvent(draft, envelope.event, families)
  }
  return draft.finish()
}

function withDelta(state: RunView, frame: DeltaFrame): RunView {
  return updateAttempt(state, frame.attempt, (attempt) => {
    if (attempt.agents.get(frame.agent_id)?.endedAt != null) return attempt
    const draft = new AttemptDraft(attempt)
    draft.addText(frame.agent_id, { offset: frame.offset, text: frame.text })
    const next = draft.finish()
    return next.live === attempt.live ? attempt : next
  })
}

function withPartial(state: RunView, frame: SnapshotFrame): RunView {
  const texts = Object.entries(frame.partial)
  const current = currentAttempt(state)
  if (texts.length === 0 || !current || isEnded(frame.detail.status)) return state
  return updateAttempt(state, current.attempt, (attempt) => {
    const draft = new AttemptDraft(attempt)
    for (const [id, text] of texts) {
      if (attempt.agents.get(id)?.endedAt == null) draft.adoptText(id, text)
    }
    return draft.finish()
  })
}

function withStatus(state: RunView): RunView {
  const status = statusOf(state)
  return status === state.status ? state : { ...state, status }
}

/** The trace knows first; the stored run is asked where the trace is silent. */
function statusOf(state: RunView): RunStatus {
  const attempt = currentAttempt(state)
  if (attempt?.outcome) return attempt.outcome.status
  const stored = state.detail?.status
  if (stored && isEnded(stored)) return stored
  if (!attempt) return stored ?? 'queued'
  if (attempt.pause) return afterPause(state, attempt)
  if (attempt.loss) return 'queued'
  return attempt.events.length > 0 ? 'running' : (stored ?? 'running')
}

/** What is stored is older than the pause, unless it tells that somebody has gone on. */
function afterPause({ detail }: RunView, { attempt }: AttemptView): RunStatus {
  const hasGoneOn =
    detail &&
    (detail.attempt > attempt || (detail.attempt === attempt && detail.status === 'queued'))
  return hasGoneOn ? detail.status : 'waiting'
}

function isSorted(envelopes: readonly Envelope[]): boolean {
  return envelopes.every((envelope, index) => {
    const before = envelopes[index - 1]
    return !before || before.seq < envelope.seq
  })
}
