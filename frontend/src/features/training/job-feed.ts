/** What the stream tells of trainings, kept once for all of a tab's views. */
import { jobTopic, type JobDetail, type TrainingFrame } from '@/lib/stream/frames'
import { watchTopic } from '@/lib/stream/stream'

import { Curve } from './curve'

/** A burst of steps is drawn a few times a second, not step by step. */
const DRAW_MS = 200
/** A view that is left is often come back to at once. */
const RELEASE_MS = 5_000
/** Curves that nobody watches, kept to go on with. */
const KEPT = 4

export interface FeedWatcher {
  readonly onJob: (job: JobDetail) => void
  readonly onGone: () => void
}

/** `waiting`: its history is not here yet; `known`: it is; `gone`: it was deleted. */
export type FeedState = 'waiting' | 'known' | 'gone'

/**
 * One training as the stream tells it. The stream is asked for what is missing only: after a pause,
 * an end, or a change of view it goes on after the last step that is here.
 */
export class JobFeed {
  readonly curve = new Curve()
  state: FeedState = 'waiting'
  /** When the newest step was done, in ISO 8601. */
  lastAt: string | null = null
  /** Changes whenever anything above did, a few times a second at most. */
  version = 0
  private readonly watchers = new Set<FeedWatcher>()
  private readonly viewers = new Set<() => void>()
  private stop: (() => void) | null = null
  private ended = false
  private release: ReturnType<typeof setTimeout> | undefined
  private drawing: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly id: string) {}

  get isWatched(): boolean {
    return this.stop !== null
  }

  watch(watcher: FeedWatcher): () => void {
    clearTimeout(this.release)
    this.watchers.add(watcher)
    this.follow()
    return () => {
      this.watchers.delete(watcher)
      if (this.watchers.size === 0) this.release = setTimeout(() => this.close(), RELEASE_MS)
    }
  }

  /** Called when it goes on after its end, too: somebody resumed it. */
  follow(): void {
    if (this.stop && !this.ended) return
    this.stop?.()
    this.ended = false
    const { last } = this.curve
    this.stop = watchTopic<TrainingFrame>(jobTopic(this.id), (frames) => this.take(frames), {
      after: last === null ? null : String(last),
      onGone: () => this.lose(),
    })
  }

  /** An external store: `useSyncExternalStore(feed.view, () => feed.version)`. */
  readonly view = (viewer: () => void): (() => void) => {
    this.viewers.add(viewer)
    return () => this.viewers.delete(viewer)
  }

  private take(frames: readonly TrainingFrame[]): void {
    const steps = frames.filter((frame) => frame.type === 'metric')
    this.curve.add(steps)
    const newest = steps.at(-1)
    if (newest !== undefined && newest.step >= (this.curve.last ?? 0)) this.lastAt = newest.at
    const job = frames.findLast((frame) => frame.type === 'job')
    if (job) {
      this.state = 'known'
      this.ended = job.detail.finished_at !== null
      for (const { onJob } of this.watchers) onJob(job.detail)
    }
    this.changed()
  }

  private lose(): void {
    this.state = 'gone'
    this.ended = true
    for (const { onGone } of this.watchers) onGone()
    this.changed()
  }

  private changed(): void {
    this.drawing ??= setTimeout(() => {
      this.drawing = undefined
      this.version += 1
      for (const viewer of this.viewers) viewer()
    }, DRAW_MS)
  }

  private close(): void {
    this.stop?.()
    this.stop = null
    forget()
  }
}

const feeds = new Map<string, JobFeed>()

export function feedOf(id: string): JobFeed {
  const feed = feeds.get(id) ?? new JobFeed(id)
  feeds.set(id, feed)
  return feed
}

/** All but the newest of those that nobody watches. */
function forget(): void {
  const spare = [...feeds].filter(([, { isWatched }]) => !isWatched).map(([key]) => key)
  for (const key of spare.slice(0, Math.max(0, spare.length - KEPT))) feeds.delete(key)
}
