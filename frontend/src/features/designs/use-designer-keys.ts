import { useEffect } from 'react'

import { isOverPage, isTyping } from '@/lib/is-typing'

import { useDesignStore, type DesignStore } from './design-store'
import { copyOf, disconnect, edgeId, paste, removeAgents } from './edits'

/** Where Delete means the drawing: with the focus on a button of the panel it means nothing. */
const isOnCanvas = (target: EventTarget | null): boolean =>
  target === document.body || (target instanceof Element && target.closest('.react-flow') !== null)

/** Undo, copy, paste, delete and choosing everything, as in any editor. */
export function useDesignerKeys(readOnly: boolean): void {
  const store = useDesignStore()
  useEffect(() => {
    const handle = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isTyping(event.target) || isOverPage(event.target)) return
      const action = actionOf(event)
      if (!action || (readOnly && action !== selectAll && action !== clear)) return
      if (COPYING.has(action) && !mayCopy(store)) return
      event.preventDefault()
      action(store)
    }
    document.addEventListener('keydown', handle)
    return () => document.removeEventListener('keydown', handle)
  }, [readOnly, store])
}

type Action = (store: DesignStore) => void

/** Text that a person has marked is what they copy. */
const mayCopy = (store: DesignStore): boolean =>
  store.getState().selection.agents.size > 0 && (getSelection()?.isCollapsed ?? true)

function actionOf(event: KeyboardEvent): Action | undefined {
  if (event.altKey) return undefined
  if (event.ctrlKey || event.metaKey) {
    const key = event.key.toLowerCase()
    return event.shiftKey && key === 'z' ? redo : WITH_CONTROL[key]
  }
  if (event.shiftKey) return undefined
  if (event.key === 'Escape') return clear
  return isOnCanvas(event.target) ? ON_CANVAS[event.key.toLowerCase()] : undefined
}

const undo: Action = (store) => store.getState().undo()
const redo: Action = (store) => store.getState().redo()
const clear: Action = (store) => store.getState().select({})

const selectAll: Action = (store) => {
  const { history, select } = store.getState()
  select({
    agents: new Set(history.present.spec.agents.map(({ id }) => id)),
    edges: new Set(history.present.spec.edges.map(edgeId)),
  })
}

export const removeSelection: Action = (store) => {
  const { edit, select, selection } = store.getState()
  edit((design) => removeAgents(disconnect(design, selection.edges), selection.agents))
  select({})
}

const copy: Action = (store) => {
  const { history, selection, copy: keep } = store.getState()
  if (selection.agents.size > 0) keep(copyOf(history.present.spec, selection.agents))
}

const pasteClip: Action = (store) => {
  const { clip, edit, history, select } = store.getState()
  if (!clip) return
  const [next, ids] = paste(history.present.spec, clip)
  edit(() => next)
  select({ agents: new Set(ids) })
}

export const duplicateSelection: Action = (store) => {
  const { edit, history, select, selection } = store.getState()
  if (selection.agents.size === 0) return
  const [next, ids] = paste(history.present.spec, copyOf(history.present.spec, selection.agents))
  edit(() => next)
  select({ agents: new Set(ids) })
}

const cut: Action = (store) => {
  copy(store)
  removeSelection(store)
}

const COPYING: ReadonlySet<Action> = new Set([copy, cut])

const WITH_CONTROL: Readonly<Record<string, Action>> = {
  z: undo,
  y: redo,
  a: selectAll,
  c: copy,
  x: cut,
  v: pasteClip,
  d: duplicateSelection,
}

const toggleBreakpoints: Action = (store) => {
  const { selection, toggleBreakpoint } = store.getState()
  selection.agents.forEach(toggleBreakpoint)
}

const ON_CANVAS: Readonly<Record<string, Action>> = {
  delete: removeSelection,
  backspace: removeSelection,
  b: toggleBreakpoints,
}

/** The same by name, for the palette. */
export const ACTIONS = [
  { name: 'undo', keys: 'Ctrl Z', action: undo },
  { name: 'redo', keys: 'Ctrl Shift Z', action: redo },
  { name: 'selectAll', keys: 'Ctrl A', action: selectAll },
  { name: 'copy', keys: 'Ctrl C', action: copy },
  { name: 'paste', keys: 'Ctrl V', action: pasteClip },
  { name: 'duplicate', keys: 'Ctrl D', action: duplicateSelection },
  { name: 'remove', keys: 'Delete', action: removeSelection },
  { name: 'stops', keys: 'B', action: toggleBreakpoints },
] as const
