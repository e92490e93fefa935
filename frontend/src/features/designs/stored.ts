/** What is sent of a design, and whether the server has just that. */
import { isNameable } from './clean-text'
import type { Drawn } from './design-store'
import type { DesignSpec } from './edits'
import type { Design } from './use-designs'

export interface Sent {
  readonly name?: string
  readonly draft: DesignSpec
}

/** A name that no design may have keeps nothing else from being saved. */
export const bodyOf = ({ name, spec }: Drawn): Sent =>
  isNameable(name) ? { name, draft: spec } : { draft: spec }

/** Whether what is stored is what was sent: then nobody else saved, only the answer was lost. */
export function isStored({ name, draft }: Design, drawn: Drawn): boolean {
  const sent = bodyOf(drawn)
  return (sent.name === undefined || sent.name.trim() === name) && holds(draft, sent.draft)
}

/** `stored` may know more about each thing than was sent: the server fills in what is left out. */
function holds(stored: unknown, sent: unknown): boolean {
  if (typeof sent !== 'object' || sent === null) return stored === sent
  if (typeof stored !== 'object' || stored === null) return false
  if (Array.isArray(sent) && (!Array.isArray(stored) || stored.length !== sent.length)) return false
  const known = stored as Readonly<Record<string, unknown>>
  return Object.entries(sent).every(([key, value]) => holds(known[key], value))
}
