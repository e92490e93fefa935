/** The state of one open designer: the design with its history, and what is chosen. */
import { createContext, use } from 'react'
import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'

import type { Attachments, Files } from '@/components/attach/attachments'

import { cleanName, cleanText } from './clean-text'
import { placeAll, type Clip, type DesignSpec } from './edits'
import * as history from './history'

export interface Selection {
  readonly agents: ReadonlySet<string>
  readonly edges: ReadonlySet<string>
}

/** What is to be asked of the design; null: nothing was written or chosen. */
export interface Question {
  readonly query: string | null
  readonly endpoint: string | null
  readonly step: boolean
  /** They come with the question; those of the run that it is taken from come by themselves. */
  readonly files: Files
}

/** What is drawn, under which name: both are saved, and both can be undone. */
export interface Drawn {
  readonly name: string
  readonly spec: DesignSpec
}

export interface DesignState {
  readonly history: history.History<Drawn>
  readonly selection: Selection
  /** Agents before which a run stops; of this tab, not of the design. */
  readonly breakpoints: ReadonlySet<string>
  readonly question: Question
  /** What was copied last; also from another design of this tab. */
  readonly clip: Clip | null
  readonly edit: (change: (design: DesignSpec) => DesignSpec, about?: string) => void
  readonly undo: () => void
  readonly redo: () => void
  readonly select: (selection: Partial<Selection>) => void
  readonly toggleBreakpoint: (id: string) => void
  readonly copy: (clip: Clip) => void
  /** Another state altogether, such as what somebody else saved; a step that can be undone. */
  readonly load: (name: string, design: DesignSpec) => void
  readonly rename: (name: string) => void
  readonly ask: (part: Partial<Question>) => void
}

export type DesignStore = StoreApi<DesignState>

const NOTHING: Selection = { agents: new Set(), edges: new Set() }
let lastClip: Clip | null = null

export function createDesignStore(name: string, design: DesignSpec): DesignStore {
  return createStore<DesignState>()((set) => ({
    history: history.begin({ name, spec: placeAll(design) }),
    selection: NOTHING,
    breakpoints: new Set(),
    question: { query: null, endpoint: null, step: false, files: [] },
    clip: lastClip,
    edit: (change, about) =>
      set((state) => {
        const { present } = state.history
        const spec = change(present.spec)
        const next = spec === present.spec ? present : { ...present, spec }
        return { history: history.commit(state.history, next, { about, now: Date.now() }) }
      }),
    undo: () => set((state) => stepped(state, history.undo(state.history))),
    redo: () => set((state) => stepped(state, history.redo(state.history))),
    select: (selection) => set({ selection: { ...NOTHING, ...selection } }),
    toggleBreakpoint: (id) =>
      set(({ breakpoints }) => {
        const rest = new Set(breakpoints)
        if (!rest.delete(id)) rest.add(id)
        return { breakpoints: rest }
      }),
    copy: (clip) => {
      lastClip = clip
      set({ clip })
    },
    load: (name, design) =>
      set((state) => {
        const next = { name, spec: placeAll(design) }
        return stepped(state, history.commit(state.history, next, { now: Date.now() }))
      }),
    rename: (written) =>
      set((state) => {
        const name = cleanName(written)
        if (name === state.history.present.name) return {}
        const next = { ...state.history.present, name }
        const step = { about: 'name', now: Date.now() }
        return { history: history.commit(state.history, next, step) }
      }),
    ask: ({ query, ...part }) =>
      set(({ question }) => {
        const asked = query === undefined ? {} : { query: query === null ? null : cleanText(query) }
        return { question: { ...question, ...part, ...asked } }
      }),
  }))
}

/** What is no longer there is no longer chosen. */
function stepped(
  state: DesignState,
  next: history.History<Drawn>,
): Pick<DesignState, 'history' | 'selection'> {
  const ids = new Set(next.present.spec.agents.map(({ id }) => id))
  const agents = new Set([...state.selection.agents].filter((id) => ids.has(id)))
  return { history: next, selection: { ...NOTHING, agents } }
}

export const DesignContext = createContext<DesignStore | null>(null)

export function useDesignStore(): DesignStore {
  const store = use(DesignContext)
  if (!store) throw new Error('A designer’s parts stand inside its context.')
  return store
}

export function useDesign<T>(read: (state: DesignState) => T): T {
  return useStore(useDesignStore(), read)
}

export const questionFiles = (store: DesignStore): Attachments => ({
  get: () => store.getState().question.files,
  set: (files) => store.getState().ask({ files }),
})

export const useSpec = (): DesignSpec => useDesign((state) => state.history.present.spec)

export const useIsScript = (): boolean =>
  useDesign((state) => state.history.present.spec.script !== null)

/** The one agent that is chosen, if it is just one. */
export const useChosen = (): string | null =>
  useDesign(({ selection }) =>
    selection.agents.size === 1 ? ([...selection.agents][0] ?? null) : null,
  )
