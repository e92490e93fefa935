import { browserHub } from './browser-hub'
import type { AnyFrame, Connection, Frame } from './frames'
import type { FromWorker, ToWorker } from './protocol'
import type { Listener, Watcher, WatchOptions } from './topic'

interface Transport {
  subscribe(topic: string, listener: Listener, options: WatchOptions): () => void
  retry(): void
}

let connection: Connection = 'idle'
const watchers = new Set<() => void>()
let transport: Transport | null = null

function setConnection(next: Connection): void {
  connection = next
  for (const watcher of watchers) watcher()
}

/** Frames of a run, a training or an evaluation; see `jobTopic` and `evaluationTopic`. */
export const watchTopic = <F extends AnyFrame>(
  topic: string,
  onFrames: Listener<F>,
  options: WatchOptions = {},
): (() => void) => (transport ??= openTransport()).subscribe(topic, onFrames as Listener, options)

/**
 * Frames of a run, in batches, until the returned function is called. The first is a snapshot (or, when
 * only polling works, the trace from its start); the last of a run that ends is `end`. Frames can repeat.
 */
export const subscribe = (run: string, onFrames: Listener<Frame>): (() => void) =>
  watchTopic(run, onFrames)

/** The state of the connection as an external store: `useSyncExternalStore(watch, get)`. */
export const connectionStore = {
  get: (): Connection => connection,
  watch: (watcher: () => void): (() => void) => {
    watchers.add(watcher)
    return () => watchers.delete(watcher)
  },
  /** Try again now. */
  retry: (): void => transport?.retry(),
}

function openTransport(): Transport {
  if (typeof SharedWorker === 'undefined' || !('locks' in navigator))
    return browserHub(setConnection)
  try {
    return workerTransport()
  } catch {
    // A browser setting or policy can forbid shared workers; the page then holds the stream itself.
    return browserHub(setConnection)
  }
}

function workerTransport(): Transport {
  const worker = new SharedWorker(new URL('./shared-worker.ts', import.meta.url), {
    type: 'module',
    name: 'mas-studio-stream',
  })
  const groups = new Map<string, Set<Watcher>>()
  const send = (message: ToWorker): void => worker.port.postMessage(message)
  let fallback: Transport | null = null

  worker.port.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.type === 'connection') setConnection(data.connection)
    else
      for (const { listener, onGone } of groups.get(data.topic) ?? [])
        if (data.type === 'gone') onGone?.()
        else listener(data.frames)
  }
  worker.onerror = () => {
    // The worker's script did not load: every subscription moves into the page.
    const local = (fallback ??= browserHub(setConnection))
    for (const [topic, group] of groups)
      for (const { listener, ...options } of group) local.subscribe(topic, listener, options)
    groups.clear()
  }
  announce(send, () => [...groups.keys()])

  return {
    retry: () => (fallback ? fallback.retry() : send({ type: 'retry' })),
    subscribe(topic, listener, options) {
      if (fallback) return fallback.subscribe(topic, listener, options)
      const group = groups.get(topic) ?? new Set()
      const watcher = { listener, ...options }
      groups.set(topic, group.add(watcher))
      // The tab is one subscriber: what somebody else here still waits for must not be left out.
      send({ type: 'subscribe', topic, after: group.size > 1 ? null : (options.after ?? null) })
      return () => {
        group.delete(watcher)
        if (group.size > 0 || groups.get(topic) !== group) return
        groups.delete(topic)
        send({ type: 'unsubscribe', topic })
      }
    },
  }
}

/** Tells the worker when this tab lives, leaves, and comes back out of the back/forward cache. */
function announce(send: (message: ToWorker) => void, topics: () => string[]): void {
  const lock = `mas-studio-tab-${crypto.randomUUID()}`
  void navigator.locks.request(lock, () => {
    send({ type: 'hello', lock })
    return new Promise<never>(() => undefined)
  })
  globalThis.addEventListener('pagehide', () => send({ type: 'bye' }))
  globalThis.addEventListener('pageshow', (event) => {
    if (event.persisted)
      for (const topic of topics()) send({ type: 'subscribe', topic, after: null })
  })
}
