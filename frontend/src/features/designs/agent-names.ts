import { text } from '@/strings/designs'
import type { DesignSpec } from './edits'

/** What a person calls an agent of the design, by its id. */
export function namesOf(design: DesignSpec): (id: string) => string {
  const names = new Map(
    design.agents.map(({ id, role }) => [id, role.name.trim() || text.canvas.unnamed]),
  )
  return (id) => names.get(id) ?? id
}

/** The same, with the id where another agent has that name, too. */
export function distinctNamesOf(design: DesignSpec): (id: string) => string {
  const nameOf = namesOf(design)
  const named = design.agents.map(({ id }) => nameOf(id))
  return (id) =>
    named.filter((name) => name === nameOf(id)).length > 1 ? `${nameOf(id)} (${id})` : nameOf(id)
}
