import { useEffect, useEffectEvent } from 'react'

import { headingOf } from '@/graph/navigation'
import { isOverPage, isTyping } from '@/lib/is-typing'

import {
  agentOf,
  focusAgent,
  focusFields,
  isInAgentFields,
  isInFields,
  isOnCanvas,
} from './canvas-focus'
import {
  clear,
  duplicateSelection,
  redo,
  removeSelection,
  selectAll,
  toggleBreakpoints,
  undo,
  type Action,
} from './design-actions'
import { useDesignStore, type DesignStore } from './design-store'
import type { Views } from './use-views'
import { walk } from './walk'

interface Options {
  readonly readOnly: boolean
  readonly views: Views
  readonly showKeys: () => void
}

/** The designer's keys, as any editor has them. Copy and paste are the browser's own events. */
export function useDesignerKeys(options: Options): void {
  const store = useDesignStore()
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || isOverPage(event.target)) return
    const act = actionOf(event, store, options)
    if (!act) return
    event.preventDefault()
    act(store)
  })
  const onCard = useEffectEvent((event: KeyboardEvent) => {
    if (options.readOnly || !goesToFields(event, store)) return
    event.preventDefault()
    event.stopPropagation()
    focusFields()
  })
  useEffect(() => {
    // Before React Flow: for it, Enter chooses whoever has the focus, and then it is too late to ask.
    document.addEventListener('keydown', onCard, { capture: true })
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('keydown', onCard, { capture: true })
      document.removeEventListener('keydown', onKey)
    }
  }, [])
}

/** F2, or Enter on the one agent that is chosen already. */
function goesToFields(event: KeyboardEvent, store: DesignStore): boolean {
  const id = agentOf(event.target)
  if (id === null || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false
  const { select, selection } = store.getState()
  const isChosen = selection.agents.size === 1 && selection.agents.has(id)
  if (event.key === 'F2' && !isChosen) select({ agents: new Set([id]) })
  return event.key === 'F2' || (event.key === 'Enter' && isChosen)
}

function actionOf(event: KeyboardEvent, store: DesignStore, options: Options): Action | undefined {
  if (event.altKey) return undefined
  const isWritten = isTyping(event.target)
  if (event.ctrlKey || event.metaKey) {
    const key = event.key.toLowerCase()
    const action = event.shiftKey && key === 'z' ? redo : WITH_CONTROL[key]
    if (options.readOnly && action !== selectAll) return undefined
    // The browser's own would take back character by character, and know nothing of the drawing.
    if (isWritten)
      return (action === undo || action === redo) && isInFields(event.target) ? action : undefined
    return action
  }
  if (event.key === 'Escape') return escapeOf(event.target)
  if (isWritten) return undefined
  if (event.key === '?') return options.showKeys
  if (!isOnCanvas(event.target)) return undefined
  return walkOf(event, store, options.readOnly) ?? onCanvas(event, options)
}

/** Out of the panel back to the agent; from its card, to nothing being chosen. */
function escapeOf(target: EventTarget | null): Action | undefined {
  if (isInAgentFields(target))
    return (store) => focusAgent([...store.getState().selection.agents][0] ?? null)
  if (isTyping(target)) return undefined
  return (store) => {
    const id = agentOf(target)
    clear(store)
    // React Flow takes the focus from the card in the next frame.
    if (id !== null) requestAnimationFrame(() => focusAgent(id))
  }
}

/** The arrow keys move whoever is chosen; from everybody else they go on to the next. */
function walkOf(event: KeyboardEvent, store: DesignStore, readOnly: boolean): Action | undefined {
  const heading = headingOf(event.key)
  const from = agentOf(event.target)
  const { history, selection } = store.getState()
  if (!heading || from === null || event.shiftKey) return undefined
  if (selection.agents.has(from) && !readOnly) return undefined
  const to = walk(history.present.spec, from, heading)
  return to === null ? undefined : () => focusAgent(to)
}

function onCanvas(
  { key, shiftKey }: KeyboardEvent,
  { readOnly, views }: Options,
): Action | undefined {
  const look = LOOKS[key]
  if (look) return views[look]
  if (readOnly) return undefined
  if (shiftKey) return key.toLowerCase() === 't' ? views.tidy : undefined
  return EDITS[key.toLowerCase()]
}

const WITH_CONTROL: Readonly<Record<string, Action>> = {
  z: undo,
  y: redo,
  a: selectAll,
  d: duplicateSelection,
}

const LOOKS: Readonly<Record<string, 'fit' | 'zoomIn' | 'zoomOut'>> = {
  '0': 'fit',
  '+': 'zoomIn',
  '=': 'zoomIn',
  '-': 'zoomOut',
}

const EDITS: Readonly<Record<string, Action>> = {
  delete: removeSelection,
  backspace: removeSelection,
  b: toggleBreakpoints,
}
