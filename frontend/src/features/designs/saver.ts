/** Saves a design a quiet moment after its last change, and never over what somebody else saved. */
import { createStore, type StoreApi } from 'zustand/vanilla'

import { toApiError, type ApiError } from '@/lib/api/errors'
import { notifyProblem } from '@/lib/toasts'

import type { DesignStore, Drawn } from './design-store'
import type { DesignSpec } from './edits'
import type { Design } from './use-designs'

const QUIET_MS = 600
const RETRY_MS = 4_000

/**
 * saved: the server has it. failed: it did not arrive, and is sent again. refused: the server does not take
 * it, until it changes. conflict: somebody else saved first, so nothing is sent until a person decides.
 */
export type SaveState = 'saved' | 'waiting' | 'saving' | 'failed' | 'refused' | 'conflict'

export interface SaverState {
  readonly state: SaveState
  readonly error: ApiError | null
  /** The design as the server had it last. */
  readonly server: Design
}

/** Whether what was drawn reaches the server no more unless somebody does something about it. */
export const isStuck = (state: SaveState): boolean =>
  state === 'failed' || state === 'refused' || state === 'conflict'

export type Save = (body: { revision: number; name: string; draft: DesignSpec }) => Promise<Design>

export interface Saver extends StoreApi<SaverState> {
  /** Listens to the design until the function that it returns is called. */
  readonly start: () => () => void
  /** Saves at once what is not saved yet; resolves with the server's revision. */
  readonly flush: () => Promise<number>
  /** What the server has now, after something else than a save: it is what the designer shows, too. */
  readonly adopt: (design: Design) => void
}

const isSame = (left: Drawn, right: Drawn): boolean =>
  left.spec === right.spec && left.name === right.name

export function createSaver(first: Design, design: DesignStore, save: Save): Saver {
  const content = (): Drawn => design.getState().history.present
  const store = createStore<SaverState>()(() => ({ state: 'saved', error: null, server: first }))
  let kept = content()
  let timer: ReturnType<typeof setTimeout> | undefined
  let sending: Promise<number> | null = null

  const send = async (): Promise<number> => {
    try {
      for (let now = content(); !isSame(kept, now); now = content()) {
        store.setState({ state: 'saving' })
        const { revision } = store.getState().server
        const server = await save({ revision, name: now.name, draft: now.spec })
        kept = now
        store.setState({ server, error: null })
      }
      store.setState({ state: 'saved' })
      return store.getState().server.revision
    } catch (thrown) {
      const error = toApiError(thrown)
      const state = stateAfter(error)
      store.setState({ state, error })
      if (state === 'failed') plan(RETRY_MS)
      throw error
    }
  }
  const flush = (): Promise<number> => {
    clearTimeout(timer)
    const { state, error } = store.getState()
    if (state === 'conflict' && error) return Promise.reject(error)
    if (sending) return sending
    const going = send()
    sending = going
    // Not in `send` itself: with nothing to save that ends before it is kept here.
    const over = (): void => {
      sending = null
    }
    going.then(over, over)
    return going
  }
  const plan = (milliseconds: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void flush().catch(() => null), milliseconds)
  }
  const changed = (): void => {
    const { state } = store.getState()
    if (state === 'conflict' || isSame(kept, content())) return
    if (state !== 'saving') store.setState({ state: 'waiting' })
    plan(QUIET_MS)
  }
  const warn = (event: BeforeUnloadEvent): void => {
    if (store.getState().state !== 'saved') event.preventDefault()
  }

  return {
    ...store,
    flush,
    start: () => {
      const stop = design.subscribe(changed)
      globalThis.addEventListener('beforeunload', warn)
      return () => {
        stop()
        globalThis.removeEventListener('beforeunload', warn)
        // Leaving the page within the studio loses nothing, either; or not without a word.
        if (!isSame(kept, content()) && !isStuck(store.getState().state))
          flush().catch((thrown: unknown) => notifyProblem(toApiError(thrown)))
      }
    },
    adopt: (server) => {
      clearTimeout(timer)
      design.getState().load(server.name, server.draft)
      kept = content()
      store.setState({ state: 'saved', error: null, server })
    },
  }
}

function stateAfter({ code, status }: ApiError): SaveState {
  if (code === 'design_changed') return 'conflict'
  return status >= 400 && status < 500 && status !== 429 && status !== 408 ? 'refused' : 'failed'
}
