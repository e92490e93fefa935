import type { Connection } from './frames'
import { StreamHub } from './hub'

const REQUEST_LIMIT_MS = 15_000

/** The hub on the browser's own EventSource and fetch: in the SharedWorker, or in the page without one. */
export function browserHub(onConnection: (connection: Connection) => void): StreamHub {
  const hub = new StreamHub({
    openSource: (url) => new EventSource(url),
    fetchJson: async (url) => {
      const response = await fetch(url, {
        headers: { Accept: 'application/json' },
        signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
      })
      return { status: response.status, body: (await response.json()) as unknown }
    },
    onConnection,
  })
  globalThis.addEventListener('online', () => hub.retry())
  return hub
}
