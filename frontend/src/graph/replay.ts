/** A stored attempt told again: what stood there after any of its events. */
import { ownEvents, type GraphFamily } from './family'
import type { Envelope, RunEvent } from './frames'
import { foldAll } from './run-state'
import { emptyAttempt, type AttemptView } from './run-view'

/** Something that a reader sees happen, with what belongs to it and follows at once. */
export interface Moment {
  /** How many events have happened by its end. */
  readonly events: number
  readonly event: RunEvent
}

const SEEN: ReadonlySet<RunEvent['event']> = new Set<RunEvent['event']>([
  'run_started',
  'graph_planned',
  'agent_started',
  'tool_called',
  'agent_finished',
  'agent_failed',
  'answer_verified',
  'attempt_lost',
  'run_taken_up',
  'run_paused',
  'run_finished',
  'run_failed',
  'run_cancelled',
])

/** An edge drawn for an agent belongs to the moment that adds it, an output to the call of its tool. */
export function momentsOf(events: readonly Envelope[], families: readonly GraphFamily[]): Moment[] {
  const isSeen = (event: RunEvent): boolean =>
    SEEN.has(event.event) || ownEvents(families, event).some(({ moment }) => moment)
  const starts = events.flatMap(({ event }, index) => (isSeen(event) ? [index] : []))
  return starts.flatMap((start, place) => {
    const event = events[start]?.event
    return event ? [{ events: starts[place + 1] ?? events.length, event }] : []
  })
}

export interface Pace {
  /** Moments that one step goes on by. */
  readonly stride: number
  readonly milliseconds: number
}

const WHOLE_MS = 30_000
const SLOWEST_MS = 900
const FASTEST_MS = 60

/** A long run is told in half a minute, a short one slowly enough to be followed. */
export function paceOf(moments: number): Pace {
  const stride = Math.ceil((moments * FASTEST_MS) / WHOLE_MS)
  const steps = Math.ceil(moments / stride)
  return { stride, milliseconds: Math.min(SLOWEST_MS, WHOLE_MS / steps) }
}

/** Kept every so many events, so that a leap folds a few dozen of them and not thousands. */
const STRIDE = 64

export class Replay {
  readonly moments: readonly Moment[]
  private readonly events: readonly Envelope[]
  private readonly kept: AttemptView[]

  constructor(
    readonly whole: AttemptView,
    private readonly families: readonly GraphFamily[],
  ) {
    this.events = whole.events.toArray()
    this.moments = momentsOf(this.events, families)
    this.kept = [emptyAttempt(whole.attempt)]
  }

  /** The attempt after its first `count` events. */
  after(count: number): AttemptView {
    const most = Math.max(0, Math.min(count, this.events.length))
    if (most === this.events.length) return this.whole
    const stride = Math.floor(most / STRIDE)
    for (let next = this.kept.length; next <= stride; next += 1)
      this.kept.push(this.from(next - 1, next * STRIDE))
    return this.from(stride, most)
  }

  private from(stride: number, end: number): AttemptView {
    const base = this.kept[stride] ?? emptyAttempt(this.whole.attempt)
    return foldAll(base, this.events.slice(stride * STRIDE, end), this.families)
  }
}
