import {
  parseFrame,
  topicOf,
  topicParts,
  FRAME_NAMES,
  type AnyFrame,
  type Connection,
} from './frames'
import { pollTopic, type FetchJson } from './polling'
import { Topic, type Listener, type Watcher, type WatchOptions } from './topic'

/** The part of EventSource that the hub needs; tests pass a fake that follows the same rules. */
export interface Source {
  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void
  close(): void
}

export interface HubOptions {
  readonly openSource: (url: string) => Source
  readonly fetchJson: FetchJson
  readonly onConnection: (connection: Connection) => void
}

type Reached = 'reached' | 'unreachable' | 'signed-out'

const GATHER_MS = 30
const POLL_MS = 2_000
const SILENCE_MS = 20_000
const FAILURES_BEFORE_POLLING = 4
const POLLS_BEFORE_RETRY = 8

/** 0.5, 1, 2, 4, … 15 s, each ± a quarter, so that tabs do not come back in step. */
export const backoffMs = (failures: number, random = Math.random()): number =>
  Math.min(15_000, 500 * 2 ** Math.max(0, failures - 1)) * (0.75 + random / 2)

/**
 * One multiplexed stream for every run, training and evaluation that anybody here watches.
 *
 * A drop reopens it with backoff after the last event of each run; when it cannot be opened at all the
 * hub polls, and tries the stream again from time to time. A silent stream is checked against the API,
 * since a half-open connection reports no error. Frames reach listeners in batches.
 */
export class StreamHub {
  private readonly topics = new Map<string, Topic>()
  private source: Source | null = null
  private timer: ReturnType<typeof setTimeout> | undefined
  private silence: ReturnType<typeof setTimeout> | undefined
  private flushTimer: ReturnType<typeof setTimeout> | undefined
  private failures = 0
  private polls = 0
  private connection: Connection = 'idle'

  constructor(private readonly options: HubOptions) {}

  subscribe<F extends AnyFrame>(
    topic: string,
    listener: Listener<F>,
    options: WatchOptions = {},
  ): () => void {
    const entry = this.topics.get(topic) ?? new Topic()
    this.topics.set(topic, entry)
    const watcher: Watcher = { ...options, listener: listener as Listener }
    entry.join(watcher)
    this.schedule(GATHER_MS, this.open)
    return () => this.unsubscribe(topic, entry, watcher)
  }

  /** Try now instead of after the backoff: the browser says that it is online again. */
  retry(): void {
    if (this.connection === 'live' || this.connection === 'idle') return
    this.failures = 0
    this.schedule(0, this.open)
  }

  private unsubscribe(topic: string, entry: Topic, watcher: Watcher): void {
    entry.leave(watcher)
    if (!entry.isWatched && this.topics.get(topic) === entry) this.topics.delete(topic)
    if (this.active().length === 0) this.rest()
  }

  private active(): [string, Topic][] {
    return [...this.topics].filter(([, entry]) => entry.isActive)
  }

  private admit(): void {
    this.flush()
    for (const entry of this.topics.values()) entry.admit()
  }

  private readonly open = (): void => {
    this.source?.close()
    this.source = null
    this.admit()
    const active = this.active()
    if (active.length === 0) return this.rest()
    this.setConnection(this.failures === 0 ? 'connecting' : 'reconnecting')
    const source = this.options.openSource(streamUrl(active))
    this.source = source
    const current = (handle: () => void) => () => {
      if (this.source === source) handle()
    }
    source.addEventListener('open', current(this.opened))
    source.addEventListener('error', current(this.failed))
    for (const name of FRAME_NAMES)
      source.addEventListener(name, ({ data }) => {
        if (this.source === source) this.receive(parseFrame(name, String(data)))
      })
    this.watchSilence()
  }

  private readonly opened = (): void => {
    this.failures = 0
    this.setConnection('live')
  }

  private readonly failed = (): void => {
    this.source?.close()
    this.source = null
    clearTimeout(this.silence)
    if (this.active().length === 0) return this.rest()
    this.failures += 1
    if (this.failures >= FAILURES_BEFORE_POLLING) {
      this.polls = 0
      this.schedule(0, this.poll)
      return
    }
    this.setConnection('reconnecting')
    this.schedule(backoffMs(this.failures), this.open)
  }

  private receive(frame: AnyFrame | null): void {
    const entry = frame ? this.topics.get(topicOf(frame)) : undefined
    if (!frame || !entry) return
    entry.receive(frame)
    this.flushTimer ??= setTimeout(this.flush, GATHER_MS)
    this.watchSilence()
    if (this.active().length === 0) this.rest()
  }

  private readonly flush = (): void => {
    clearTimeout(this.flushTimer)
    this.flushTimer = undefined
    for (const entry of this.topics.values()) entry.flush()
  }

  private readonly poll = (): void => {
    this.admit()
    const before = this.active().length
    void this.pollOnce().then((outcome) => {
      const after = this.active().length
      if (outcome === 'signed-out') return this.signOut()
      if (after === 0) return this.rest()
      this.setConnection(outcome === 'reached' ? 'polling' : 'offline')
      // One run that is gone makes the server refuse the stream of all; without it the rest can stream.
      if (after < before) {
        this.schedule(0, this.open)
        return
      }
      this.polls += 1
      if (this.polls % POLLS_BEFORE_RETRY === 0) this.schedule(POLL_MS, this.open)
      else this.schedule(POLL_MS, this.poll)
    })
  }

  /** Asks the API for what is new in everything active. */
  private async pollOnce(): Promise<Reached> {
    let outcome: Reached = 'reached'
    for (const [topic, entry] of this.active()) {
      const { after, round } = entry
      const answer = await pollTopic(this.options.fetchJson, topic, after)
      if (answer.kind === 'signed-out') return 'signed-out'
      if (answer.kind === 'unreachable') outcome = 'unreachable'
      else if (entry.round !== round) continue
      else if (answer.kind === 'gone') entry.lose()
      else for (const frame of answer.frames) this.receive(frame)
    }
    return outcome
  }

  private watchSilence(): void {
    clearTimeout(this.silence)
    this.silence = setTimeout(() => void this.checkSilence(), SILENCE_MS)
  }

  private async checkSilence(): Promise<void> {
    if (!this.source || this.active().length === 0) return
    const before = this.active().map(([, entry]) => entry.after)
    const outcome = await this.pollOnce()
    if (outcome === 'signed-out') {
      this.signOut()
      return
    }
    const after = this.active().map(([, entry]) => entry.after)
    if (outcome === 'unreachable' || before.join() !== after.join()) this.failed()
    else this.watchSilence()
  }

  private signOut(): void {
    this.rest()
    this.setConnection('signed-out')
  }

  private rest(): void {
    this.source?.close()
    this.source = null
    clearTimeout(this.timer)
    clearTimeout(this.silence)
    this.failures = 0
    this.setConnection('idle')
  }

  private schedule(milliseconds: number, action: () => void): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(action, milliseconds)
  }

  private setConnection(connection: Connection): void {
    if (this.connection === connection) return
    this.connection = connection
    this.options.onConnection(connection)
  }
}

function streamUrl(active: readonly [string, Topic][]): string {
  const query = new URLSearchParams()
  for (const [name, wanted] of [
    ['runs', 'run'],
    ['jobs', 'job'],
    ['evaluations', 'evaluation'],
  ] as const) {
    const ids = active.map(([topic]) => topicParts(topic)).filter(([kind]) => kind === wanted)
    if (ids.length > 0) query.set(name, ids.map(([, id]) => id).join(','))
  }
  const resume = active.flatMap(([topic, { after }]) =>
    after === null ? [] : [`${topicParts(topic)[1]}:${after}`],
  )
  if (resume.length > 0) query.set('after', resume.join(','))
  return `/api/events?${query.toString()}`
}
