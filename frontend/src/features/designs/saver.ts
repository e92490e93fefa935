/**
 * Saves a design a quiet moment after its last change, and never over what somebody else saved. It also
 * learns what somebody else saved: what is open and wholly saved here follows that, what is not is in
 * conflict with it.
 */
import { createStore, type StoreApi } from 'zustand/vanilla'

import { ApiError, toApiError } from '@/lib/api/errors'
import { notify, notifyProblem } from '@/lib/toasts'

import type { DesignStore, Drawn } from './design-store'
import { text } from '@/strings/designs'
import { isDecided, isStuck, mayPass, RETRY_MS, stateAfter, type SaveState } from './save-state'
import { bodyOf, isStored, type Sent } from './stored'
import type { Design, DesignHead } from './use-designs'
import { watchPage } from './watch-page'

const QUIET_MS = 600
/** Whoever types without a pause is saved all the same. */
const LATEST_MS = 3_000
/** Saves without an answer that are remembered. */
const MOST_SENT = 10

export interface SaverState {
  readonly state: SaveState
  readonly error: ApiError | null
  /** The design as the server had it last. */
  readonly server: Design
}

export interface Remote {
  readonly save: (body: Sent & { revision: number }) => Promise<Design>
  readonly read: () => Promise<Design>
  /** As `read`, without the design. */
  readonly head: () => Promise<DesignHead>
}

export interface Saver extends StoreApi<SaverState> {
  /** Listens to the design and to the server until the function that it returns is called. */
  readonly start: () => () => void
  /** Saves at once what is not saved yet; resolves with the server's revision. */
  readonly flush: () => Promise<number>
  /** Sends again what did not arrive, and asks whether somebody else saved. */
  readonly look: () => Promise<void>
  /** What the server has, as it was read just now. */
  readonly meet: (design: Design) => void
  /** What the server has is what the designer shows; what it showed before can be had back with Undo. */
  readonly adopt: (design: Design) => void
  /** What is not saved here has found another place, or nobody wants it. */
  readonly abandon: () => void
  readonly isUnsaved: () => boolean
}

const isSame = (left: Drawn, right: Drawn): boolean =>
  left.spec === right.spec && left.name === right.name

export function createSaver(first: Design, design: DesignStore, remote: Remote): Saver {
  const content = (): Drawn => design.getState().history.present
  const store = createStore<SaverState>()(() => ({ state: 'saved', error: null, server: first }))
  let kept = content()
  /** What was sent and not answered: it may have been stored all the same. */
  let unanswered: readonly Drawn[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  /** When the oldest change that is not saved has waited long enough; null: there is none. */
  let latest: number | null = null
  let sending: Promise<void> | null = null
  let looking = false

  const isSending = (): boolean => sending !== null
  const isUnsaved = (): boolean => !isSame(kept, content())
  const plan = (milliseconds: number): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void tick(), milliseconds)
  }
  const schedule = (): void => {
    latest ??= Date.now() + LATEST_MS
    plan(Math.max(0, Math.min(QUIET_MS, latest - Date.now())))
  }
  /** The earlier save that is stored though its answer was lost, if it is one of ours. */
  const recognize = (server: Design): boolean => {
    const arrived = unanswered.find((each) => isStored(server, each))
    if (!arrived) return false
    kept = arrived
    unanswered = []
    store.setState({ server })
    return true
  }

  const deliver = async (now: Drawn): Promise<Design> => {
    const { revision } = store.getState().server
    const body = bodyOf(now)
    try {
      return await remote.save({ revision, ...body })
    } catch (thrown) {
      const error = toApiError(thrown)
      if (mayPass(error.status)) unanswered = [...unanswered, now].slice(-MOST_SENT)
      // A name that only the server refuses holds up nothing else, either.
      if (body.name !== undefined && isOfName(error))
        return remote.save({ revision, draft: body.draft })
      if (stateAfter(error) !== 'conflict') throw error
      return settle(now, error)
    }
  }
  /** Somebody saved: unless it was an earlier save of ours whose answer was lost, it is a conflict. */
  const settle = async (now: Drawn, error: ApiError): Promise<Design> => {
    const server = await remote.read()
    if (isStored(server, now)) return server
    if (!recognize(server)) throw error
    return deliver(now)
  }
  const sendOnce = async (): Promise<void> => {
    clearTimeout(timer)
    latest = null
    const now = content()
    store.setState({ state: 'saving' })
    try {
      const server = await deliver(now)
      kept = now
      unanswered = []
      store.setState({ server, error: null, state: isUnsaved() ? 'waiting' : 'saved' })
      // Also what was undone meanwhile, which looked as if it were saved.
      if (isUnsaved()) schedule()
    } catch (thrown) {
      const error = toApiError(thrown)
      const state = stateAfter(error)
      store.setState({ state, error })
      const again = RETRY_MS[state]
      if (again === undefined) clearTimeout(timer)
      else plan(again)
      throw error
    }
  }
  const send = (): Promise<void> => {
    sending ??= sendOnce().finally(() => {
      sending = null
    })
    return sending
  }
  const tick = async (): Promise<void> => {
    // It says in the state what went wrong.
    if (sending) await sending.catch(() => null)
    if (!isDecided(store.getState().state)) return
    if (isUnsaved()) await send().catch(() => null)
    else store.setState({ state: 'saved', error: null })
  }
  const flush = async (): Promise<number> => {
    for (;;) {
      const { state, error, server } = store.getState()
      if (!isDecided(state) && error) throw error
      if (sending) await sending
      else if (isUnsaved()) await send()
      else {
        clearTimeout(timer)
        store.setState({ state: 'saved', error: null })
        return server.revision
      }
    }
  }
  const changed = (): void => {
    const { state } = store.getState()
    if (!isDecided(state) || state === 'loggedOut' || (state === 'saved' && !isUnsaved())) return
    if (state !== 'saving') store.setState({ state: 'waiting' })
    schedule()
  }

  const stop = (state: SaveState, error: ApiError): void => {
    clearTimeout(timer)
    store.setState({ state, error })
  }
  const adopt = (server: Design): void => {
    design.getState().load(server.name, server.draft)
    clearTimeout(timer)
    latest = null
    kept = content()
    unanswered = []
    store.setState({ state: 'saved', error: null, server })
  }
  const meet = (server: Design): void => {
    const { revision } = store.getState().server
    // What is being sent finds out by itself.
    if (sending || server.revision < revision || !isDecided(store.getState().state)) return
    if (server.revision === revision) store.setState({ server })
    else if (recognize(server)) plan(0)
    else if (isUnsaved()) stop('conflict', changedBy(server))
    else {
      adopt(server)
      if (server.updated_by) notify(text.conflict.follows(server.updated_by))
    }
  }
  const look = async (): Promise<void> => {
    const { state } = store.getState()
    if (isSending() || looking || !isDecided(state)) return
    if (RETRY_MS[state] !== undefined && isUnsaved()) return tick()
    looking = true
    try {
      const { revision } = await remote.head()
      if (revision > store.getState().server.revision && !isSending()) meet(await remote.read())
    } catch (thrown) {
      const error = toApiError(thrown)
      // Any other trouble is told by whoever has something to save.
      if (error.status === 404 && !isSending()) stop('gone', error)
    } finally {
      looking = false
    }
  }
  const warn = (event: BeforeUnloadEvent): void => {
    if (isUnsaved()) event.preventDefault()
  }

  return {
    ...store,
    flush,
    look,
    meet,
    adopt,
    isUnsaved,
    abandon: () => {
      clearTimeout(timer)
      kept = content()
      store.setState({ state: 'saved', error: null })
    },
    start: () => {
      const unwatch = watchPage(() => void look())
      const deaf = design.subscribe(changed)
      globalThis.addEventListener('beforeunload', warn)
      return () => {
        unwatch()
        deaf()
        globalThis.removeEventListener('beforeunload', warn)
        // Leaving the page within the studio loses nothing, either; or not without a word.
        if (isUnsaved() && !isStuck(store.getState().state))
          flush().catch((thrown: unknown) => notifyProblem(toApiError(thrown)))
      }
    },
  }
}

const isOfName = ({ status, fields }: ApiError): boolean =>
  status === 400 && fields.length > 0 && fields.every(({ field }) => field === 'name')

const changedBy = ({ updated_by, updated_at }: Design): ApiError =>
  new ApiError({
    code: 'design_changed',
    message: text.conflict.saved(updated_by ?? null, updated_at),
    remedy: text.conflict.body,
    status: 409,
    fields: [],
    retryAfter: null,
  })
