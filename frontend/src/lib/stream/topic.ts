/** One run, training or evaluation that somebody watches: who does, and how far they have come. */
import { compareIds, isLast, type AnyFrame } from './frames'

/** `F`: the frames of what is watched, which are the only ones that come. */
export type Listener<F extends AnyFrame = AnyFrame> = (frames: readonly F[]) => void

export interface WatchOptions {
  /** The last step or event that the listener has from before; null asks for everything. */
  readonly after?: string | null
  /** Called when it was deleted, or may no longer be seen; no frame follows. */
  readonly onGone?: () => void
}

export interface Watcher extends WatchOptions {
  readonly listener: Listener
}

/**
 * Who comes while a stream is open waits for the next one: what the open one still sends tells a
 * newcomer no history, and must not say where the next stream begins for them, or that all is over.
 */
export class Topic {
  /** The newest event that every watcher has, to resume after; null asks for a snapshot. */
  after: string | null = null
  ended = false
  /** Counts how often newcomers were let in: an answer asked for before that is not for them. */
  round = 0
  private readonly watchers = new Set<Watcher>()
  private readonly joining = new Set<Watcher>()
  private queue: AnyFrame[] = []

  get isWatched(): boolean {
    return this.watchers.size + this.joining.size > 0
  }

  /** Whether there is still something to ask for. */
  get isActive(): boolean {
    return !this.ended || this.joining.size > 0
  }

  join(watcher: Watcher): void {
    this.joining.add(watcher)
  }

  leave(watcher: Watcher): void {
    this.watchers.delete(watcher)
    this.joining.delete(watcher)
  }

  /** Lets newcomers in: what is asked for next begins where the one with the least needs it. */
  admit(): void {
    if (this.joining.size === 0) return
    const places = [...this.joining].map(({ after = null }) => after)
    if (this.watchers.size > 0) places.push(this.after)
    this.after = oldest(places)
    this.ended = false
    this.round += 1
    for (const watcher of this.joining) this.watchers.add(watcher)
    this.joining.clear()
  }

  receive(frame: AnyFrame): void {
    this.after = newest(this.after, frame)
    if (isLast(frame)) this.ended = true
    this.queue.push(frame)
  }

  flush(): void {
    if (this.queue.length === 0) return
    const frames = this.queue
    this.queue = []
    for (const { listener } of this.watchers) listener(frames)
  }

  lose(): void {
    this.ended = true
    for (const { onGone } of this.watchers) onGone?.()
  }
}

/** null, which asks for everything, is the oldest place of all. */
const oldest = (places: readonly (string | null)[]): string | null =>
  places.reduce((one, other) =>
    one === null || other === null ? null : compareIds(one, other) <= 0 ? one : other,
  )

function newest(after: string | null, frame: AnyFrame): string | null {
  const id = placeOf(frame)
  if (id === undefined) return after
  return after === null || compareIds(id, after) > 0 ? id : after
}

/** Where to resume after this frame: an event of a run, or a step of a training. */
function placeOf(frame: AnyFrame): string | undefined {
  if (frame.type === 'trace') return frame.id
  if (frame.type === 'snapshot') return frame.events.at(-1)?.id
  return frame.type === 'metric' ? String(frame.step) : undefined
}
