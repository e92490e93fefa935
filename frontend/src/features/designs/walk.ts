/** From agent to agent with the arrow keys, along who reads whom. */
import { neighbour, type Heading } from '@/graph/navigation'

import { readersOf, readsOf, type DesignSpec } from './edits'

/** Sideways to whom it reads or who reads it, the one at about its own height; else to whoever stands
 * there. Null where nobody does. */
export function walk(design: DesignSpec, from: string, heading: Heading): string | null {
  const along =
    heading === 'right' ? readersOf(design, from) : heading === 'left' ? readsOf(design, from) : []
  const heights = new Map(design.agents.map(({ id, y }) => [id, y ?? 0]))
  const away = (id: string): number => Math.abs((heights.get(id) ?? 0) - (heights.get(from) ?? 0))
  const [nearest] = along.toSorted((one, other) => away(one) - away(other))
  if (nearest !== undefined) return nearest
  const places = design.agents.map(({ id, x, y }) => [id, { x: x ?? 0, y: y ?? 0 }] as const)
  return neighbour(new Map(places), from, heading)
}

/** Who takes the focus of agents that go: whoever they were connected with, else whoever is left. */
export function heirOf(design: DesignSpec, gone: ReadonlySet<string>): string | null {
  const ids = [...gone]
  const connected = ids.flatMap((id) => [...readersOf(design, id), ...readsOf(design, id)])
  const others = design.agents.map(({ id }) => id)
  return [...connected, ...others].find((id) => !gone.has(id)) ?? null
}
