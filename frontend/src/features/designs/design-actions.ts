/** What keys, buttons and the palette do to the design that is open. */
import { notify } from '@/lib/toasts'

import { focusAgent } from './canvas-focus'
import { isDesign, textOfClip } from './clip-text'
import type { DesignStore } from './design-store'
import { text } from '@/strings/designs'
import { copyOf, disconnect, edgeId, paste, removeAgents, type Clip } from './edits'
import { heirOf } from './walk'

export type Action = (store: DesignStore) => void

export const undo: Action = (store) => store.getState().undo()
export const redo: Action = (store) => store.getState().redo()
export const clear: Action = (store) => store.getState().select({})

export const selectAll: Action = (store) => {
  const { history, select } = store.getState()
  select({
    agents: new Set(history.present.spec.agents.map(({ id }) => id)),
    edges: new Set(history.present.spec.edges.map(edgeId)),
  })
}

/** The focus goes on to a neighbour: without one it would begin anew at the top of the page. */
export const removeSelection: Action = (store) => {
  const { edit, history, select, selection } = store.getState()
  if (selection.agents.size + selection.edges.size === 0) return
  const { spec } = history.present
  const reader = spec.edges.find((edge) => selection.edges.has(edgeId(edge)))?.target ?? null
  const heir = selection.agents.size > 0 ? heirOf(spec, selection.agents) : reader
  edit((design) => removeAgents(disconnect(design, selection.edges), selection.agents))
  select({})
  focusAgent(heir)
}

/** The chosen agents, kept for this tab; with the text that other tabs are given. Null: none is chosen. */
export function takeClip(store: DesignStore): string | null {
  const { copy, history, selection } = store.getState()
  if (selection.agents.size === 0) return null
  const clip = copyOf(history.present.spec, selection.agents)
  copy(clip)
  return textOfClip(clip, history.present.name)
}

const copy: Action = (store) => {
  const clip = takeClip(store)
  // Where the browser refuses, it can still be pasted in this tab.
  if (clip !== null)
    void Promise.resolve()
      .then(() => navigator.clipboard.writeText(clip))
      .catch(() => null)
}

export function pasteClip(store: DesignStore, clip: Clip): void {
  const { edit, history, select } = store.getState()
  if (history.present.spec.script !== null) {
    notify(text.clip.inScript)
    return
  }
  const [next, ids] = paste(history.present.spec, clip)
  if (!isDesign(next)) {
    notify(text.clip.tooMany)
    return
  }
  edit(() => next)
  select({ agents: new Set(ids) })
}

/** What was copied in this tab. */
export const pasteKept: Action = (store) => {
  const { clip } = store.getState()
  if (clip) pasteClip(store, clip)
  else notify(text.clip.none)
}

export const duplicateSelection: Action = (store) => {
  const { history, selection } = store.getState()
  if (selection.agents.size > 0) pasteClip(store, copyOf(history.present.spec, selection.agents))
}

export const toggleBreakpoints: Action = (store) => {
  const { selection, toggleBreakpoint } = store.getState()
  selection.agents.forEach(toggleBreakpoint)
}

/** By name, for the palette. */
export const ACTIONS = [
  { name: 'undo', keys: 'Ctrl Z', action: undo },
  { name: 'redo', keys: 'Ctrl Shift Z', action: redo },
  { name: 'selectAll', keys: 'Ctrl A', action: selectAll },
  { name: 'copy', keys: 'Ctrl C', action: copy },
  { name: 'paste', keys: 'Ctrl V', action: pasteKept },
  { name: 'duplicate', keys: 'Ctrl D', action: duplicateSelection },
  { name: 'remove', keys: 'Delete', action: removeSelection },
  { name: 'stops', keys: 'B', action: toggleBreakpoints },
] as const
