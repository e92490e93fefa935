/** What can be done here by name: each page says its own commands, and the palette lists them. */
import { useEffect } from 'react'
import { createStore } from 'zustand/vanilla'

export interface Command {
  /** Stable, and told apart from those of every other page: `design.undo`. */
  readonly id: string
  readonly label: string
  readonly run: () => void
  /** As people read it: “Ctrl Z”. */
  readonly keys?: string
  /** One of many: it is listed once something is typed. */
  readonly searched?: boolean
}

interface Commands {
  /** The newest last: what opened over a page comes before the page. */
  readonly groups: readonly (readonly Command[])[]
}

export const commandStore = createStore<Commands>()(() => ({ groups: [] }))

/** Offers commands while the component is there. A list that is made anew with each render is offered anew. */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    commandStore.setState(({ groups }) => ({ groups: [...groups, commands] }))
    return () =>
      commandStore.setState(({ groups }) => ({
        groups: groups.filter((group) => group !== commands),
      }))
  }, [commands])
}
