import { useMemo } from 'react'
import { useShallow } from 'zustand/react/shallow'

import { useCommands, type Command } from '@/lib/commands'

import { namesOf } from './agent-names'
import { focusAgent } from './canvas-focus'
import { ACTIONS } from './design-actions'
import { useDesign, useDesignStore } from './design-store'
import { text } from '@/strings/designs'
import { align, distribute, SIDES } from './edits'
import { useReveal } from './use-reveal'
import type { Views } from './use-views'

const { tools, commands: words, panel } = text

/** The designer's commands for the palette: what its buttons and keys do, by name. */
export function useDesignCommands(readOnly: boolean, views: Views): void {
  const store = useDesignStore()
  const commands = useMemo<Command[]>(() => {
    const looks = [
      { id: 'design.fit', label: tools.fit, run: views.fit, keys: '0' },
      { id: 'design.zoomIn', label: tools.zoomIn, run: views.zoomIn, keys: '+' },
      { id: 'design.zoomOut', label: tools.zoomOut, run: views.zoomOut, keys: '−' },
    ]
    if (readOnly) return looks
    const own = ACTIONS.map(({ name, keys, action }) => ({
      id: `design.${name}`,
      label: words[name],
      run: () => action(store),
      keys,
    }))
    const tidy = { id: 'design.tidy', label: tools.tidy, run: views.tidy, keys: 'Shift T' }
    const { edit } = store.getState()
    const chosen = (): ReadonlySet<string> => store.getState().selection.agents
    const aligned = SIDES.map((side) => ({
      id: `design.align ${side}`,
      label: `${panel.align}: ${panel.sides[side]}`,
      run: () => edit((design) => align(design, chosen(), side)),
      searched: true,
    }))
    const spread = (['x', 'y'] as const).map((axis) => ({
      id: `design.distribute ${axis}`,
      label: panel.distribute[axis],
      run: () => edit((design) => distribute(design, chosen(), axis)),
      searched: true,
    }))
    return [...own, tidy, ...looks, ...aligned, ...spread]
  }, [readOnly, store, views])
  useCommands(commands)
  useCommands(useAgentCommands())
}

/** Every agent by its name. */
function useAgentCommands(): Command[] {
  const store = useDesignStore()
  const reveal = useReveal()
  const ids = useDesign(
    useShallow(({ history }) => history.present.spec.agents.map(({ id }) => id)),
  )
  const names = useDesign(
    useShallow(({ history }) => {
      const { spec } = history.present
      return spec.agents.map(({ id }) => id).map(namesOf(spec))
    }),
  )
  return useMemo(
    () =>
      ids.map((id, index) => ({
        id: `design.go ${id}`,
        label: words.go(names[index] ?? id),
        run: () => {
          store.getState().select({ agents: new Set([id]) })
          reveal(id)
          focusAgent(id)
        },
        searched: true,
      })),
    [ids, names, reveal, store],
  )
}
