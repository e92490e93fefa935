/** Messages between a tab and the SharedWorker that holds the stream for all tabs. */
import type { Connection, Frame } from './frames'

export type ToWorker =
  | { readonly type: 'hello'; readonly lock: string }
  | { readonly type: 'subscribe' | 'unsubscribe'; readonly run: string }
  | { readonly type: 'retry' | 'bye' }

export type FromWorker =
  | { readonly type: 'frames'; readonly run: string; readonly frames: readonly Frame[] }
  | { readonly type: 'connection'; readonly connection: Connection }
