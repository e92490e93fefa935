/** Messages between a tab and the SharedWorker that holds the stream for all tabs. */
import type { AnyFrame, Connection } from './frames'

export type ToWorker =
  | { readonly type: 'hello'; readonly lock: string }
  | { readonly type: 'subscribe'; readonly topic: string; readonly after: string | null }
  | { readonly type: 'unsubscribe'; readonly topic: string }
  | { readonly type: 'retry' | 'bye' }

export type FromWorker =
  | { readonly type: 'frames'; readonly topic: string; readonly frames: readonly AnyFrame[] }
  | { readonly type: 'gone'; readonly topic: string }
  | { readonly type: 'connection'; readonly connection: Connection }
