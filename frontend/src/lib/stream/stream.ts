import { browserHub } from './browser-hub'
import type { Connection } from './frames'
import type { Listener } from './hub'
import type { FromWorker, ToWorker } from './protocol'

interface Transport {
  subscribe(run: string, listener: Listener): () => void
  retry(): void
}

let connection: Connection = 'idle'
const watchers = new Set<() => void>()
let transport: Transport | null = null

function setConnection(next: Connection): void {
  connection = next
  for (const watcher of watchers) watcher()
}

/**
 * Frames of a run, in batches, until the returned function is called. The first is a snapshot (or, when
 * only polling works, the trace from its start); the last of a run that ends is `end`. Frames can repeat.
 */
export function subscribe(run: string, onFrames: Listener): () => void {
  transport ??= openTransport()
  return transport.subscribe(run, onFrames)
}

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
  const listeners = new Map<string, Set<Listener>>()
  const send = (message: ToWorker): void => worker.port.postMessage(message)
  let fallback: Transport | null = null

  worker.port.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.type === 'connection') setConnection(data.connection)
    else for (const listener of listeners.get(data.run) ?? []) listener(data.frames)
  }
  worker.onerror = () => {
    // The worker's script did not load: every subscription moves into the page.
    const local = (fallback ??= browserHub(setConnection))
    for (const [run, group] of listeners) for (const one of group) local.subscribe(run, one)
    listeners.clear()
  }
  announce(send, () => [...listeners.keys()])

  return {
    retry: () => (fallback ? fallback.retry() : send({ type: 'retry' })),
    subscribe(run, listener) {
      if (fallback) return fallback.subscribe(run, listener)
      const group = listeners.get(run) ?? new Set()
      listeners.set(run, group.add(listener))
      send({ type: 'subscribe', run })
      return () => {
        group.delete(listener)
        if (group.size > 0 || !listeners.has(run)) return
        listeners.delete(run)
        send({ type: 'unsubscribe', run })
      }
    },
  }
}

/** Tells the worker when this tab lives, leaves, and comes back out of the back/forward cache. */
function announce(send: (message: ToWorker) => void, runs: () => string[]): void {
  const lock = `mas-studio-tab-${crypto.randomUUID()}`
  void navigator.locks.request(lock, () => {
    send({ type: 'hello', lock })
    return new Promise<never>(() => undefined)
  })
  globalThis.addEventListener('pagehide', () => send({ type: 'bye' }))
  globalThis.addEventListener('pageshow', (event) => {
    if (event.persisted) for (const run of runs()) send({ type: 'subscribe', run })
  })
}
