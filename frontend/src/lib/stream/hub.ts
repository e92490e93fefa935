import {
  compareIds,
  isLast,
  parseFrame,
  topicOf,
  topicParts,
  FRAME_NAMES,
  type AnyFrame,
  type Connection,
} from './frames'
import { pollTopic, type FetchJson } from './polling'

/** `F`: the frames of what is watched, which are the only ones that come. */
export type Listener<F extends AnyFrame = AnyFrame> = (frames: readonly F[]) => void

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

interface Entry {
  readonly listeners: Set<Listener>
  /** The newest event seen, to resume after; null asks for a snapshot. */
  after: string | null
  ended: boolean
  queue: AnyFrame[]
}

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
  private readonly topics = new Map<string, Entry>()
  private source: Source | null = null
  private timer: ReturnType<typeof setTimeout> | undefined
  private silence: ReturnType<typeof setTimeout> | undefined
  private flushTimer: ReturnType<typeof setTimeout> | undefined
  private failures = 0
  private polls = 0
  private connection: Connection = 'idle'

  constructor(private readonly options: HubOptions) {}

  subscribe<F extends AnyFrame>(topic: string, listener: Listener<F>): () => void {
    const entry = this.topics.get(topic) ?? newEntry()
    this.topics.set(topic, entry)
    const any = listener as Listener
    entry.listeners.add(any)
    entry.after = null
    entry.ended = false
    this.schedule(GATHER_MS, this.open)
    return () => this.unsubscribe(topic, any)
  }

  /** Try now instead of after the backoff: the browser says that it is online again. */
  retry(): void {
    if (this.connection === 'live' || this.connection === 'idle') return
    this.failures = 0
    this.schedule(0, this.open)
  }

  private unsubscribe(topic: string, listener: Listener): void {
    const entry = this.topics.get(topic)
    if (!entry) return
    entry.listeners.delete(listener)
    if (entry.listeners.size === 0) this.topics.delete(topic)
    if (this.active().length === 0) this.rest()
  }

  private active(): [string, Entry][] {
    return [...this.topics].filter(([, entry]) => !entry.ended)
  }

  private readonly open = (): void => {
    this.source?.close()
    this.source = null
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
    entry.after = newest(entry.after, frame)
    if (isLast(frame)) entry.ended = true
    entry.queue.push(frame)
    this.flushTimer ??= setTimeout(this.flush, GATHER_MS)
    this.watchSilence()
    if (this.active().length === 0) this.rest()
  }

  private readonly flush = (): void => {
    this.flushTimer = undefined
    for (const entry of this.topics.values()) {
      if (entry.queue.length === 0) continue
      const frames = entry.queue
      entry.queue = []
      for (const listener of entry.listeners) listener(frames)
    }
  }

  private readonly poll = (): void => {
    const before = this.active().length
    void this.pollOnce().then((reached) => {
      const after = this.active().length
      if (after === 0) return this.rest()
      this.setConnection(reached ? 'polling' : 'offline')
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

  /** Asks the API for what is new in everything active; false when it cannot be reached. */
  private async pollOnce(): Promise<boolean> {
    let reached = true
    for (const [topic, entry] of this.active()) {
      const answer = await pollTopic(this.options.fetchJson, topic, entry.after)
      if (answer.kind === 'unreachable') reached = false
      else if (answer.kind === 'gone') entry.ended = true
      else for (const frame of answer.frames) this.receive(frame)
    }
    return reached
  }

  private watchSilence(): void {
    clearTimeout(this.silence)
    this.silence = setTimeout(() => void this.checkSilence(), SILENCE_MS)
  }

  private async checkSilence(): Promise<void> {
    if (!this.source || this.active().length === 0) return
    const before = this.active().map(([, entry]) => entry.after)
    const reached = await this.pollOnce()
    const after = this.active().map(([, entry]) => entry.after)
    if (!reached || before.join() !== after.join()) this.failed()
    else this.watchSilence()
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

const newEntry = (): Entry => ({ listeners: new Set(), after: null, ended: false, queue: [] })

function streamUrl(active: readonly [string, Entry][]): string {
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
