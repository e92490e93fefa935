/** How a design stands with the server, and what its answers say about that. */
import type { ApiError } from '@/lib/api/errors'

/**
 * saved: the server has it. failed: it did not arrive, and is sent again. loggedOut: the session ended; it
 * is sent again, too. refused: the server does not take it, until it changes. conflict: somebody else saved
 * first, so nothing is sent until a person decides. gone: somebody deleted the design.
 */
export type SaveState =
  'saved' | 'waiting' | 'saving' | 'failed' | 'loggedOut' | 'refused' | 'conflict' | 'gone'

const STUCK: ReadonlySet<SaveState> = new Set([
  'failed',
  'loggedOut',
  'refused',
  'conflict',
  'gone',
])

/** Whether what was drawn reaches the server no more unless somebody does something about it. */
export const isStuck = (state: SaveState): boolean => STUCK.has(state)

/** Whether nothing is sent any more until a person decides where it goes. */
export const isDecided = (state: SaveState): boolean => state !== 'conflict' && state !== 'gone'

/** Until what did not arrive is sent again, of the states in which it is. */
export const RETRY_MS: Partial<Record<SaveState, number>> = { failed: 4_000, loggedOut: 15_000 }

export function stateAfter({ code, status }: ApiError): SaveState {
  if (code === 'design_changed') return 'conflict'
  if (status === 401) return 'loggedOut'
  if (status === 404) return 'gone'
  return mayPass(status) ? 'failed' : 'refused'
}

/** Whether the same request may succeed by itself later; it may even have succeeded already. */
export const mayPass = (status: number): boolean =>
  status < 400 || status >= 500 || status === 429 || status === 408
