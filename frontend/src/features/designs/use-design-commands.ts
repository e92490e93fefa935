import { useEffect, useMemo, useRef } from 'react'

import { useCommands, type Command } from '@/lib/commands'

import { useDesignStore } from './design-store'
import { text } from './design-strings'
import { ACTIONS } from './use-designer-keys'

interface Views {
  readonly tidy: () => void
  readonly fit: () => void
}

/** The designer's commands for the palette: what its buttons and keys do, by name. */
export function useDesignCommands(readOnly: boolean, views: Views): void {
  const store = useDesignStore()
  const latest = useRef(views)
  useEffect(() => {
    latest.current = views
  })
  const commands = useMemo<Command[]>(() => {
    const { tools, commands: words } = text
    const fit = { id: 'design.fit', label: tools.fit, run: () => latest.current.fit() }
    if (readOnly) return [fit]
    const tidy = { id: 'design.tidy', label: tools.tidy, run: () => latest.current.tidy() }
    const own = ACTIONS.map(({ name, keys, action }) => ({
      id: `design.${name}`,
      label: words[name],
      run: () => action(store),
      keys,
    }))
    return [...own, tidy, fit]
  }, [readOnly, store])
  useCommands(commands)
}
