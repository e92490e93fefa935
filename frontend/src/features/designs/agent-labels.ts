/** What a screen reader says of agents and connections. */
import { namesOf } from './agent-names'
import type { Problems } from './checker'
import { text } from '@/strings/designs'
import type { DesignSpec, Edge } from './edits'
import type { Ghost } from './ghost'

export const ghostLabel = ({ kind }: Ghost): string => {
  const { name, body } = text.canvas.ghosts[kind]
  return `${name}: ${body}`
}

export function edgeLabels(spec: DesignSpec): (edge: Edge) => string {
  const nameOf = namesOf(spec)
  return ({ source, target }) => text.canvas.edge(nameOf(target), nameOf(source))
}

/** An agent's name, whom it reads, and what is wrong with it. */
export function agentLabels(
  spec: DesignSpec,
  problems: ReadonlyMap<string, Problems>,
): (id: string) => string {
  const nameOf = namesOf(spec)
  const sources = new Map<string, string[]>()
  for (const { source, target } of spec.edges) {
    const read = sources.get(target)
    if (read) read.push(nameOf(source))
    else sources.set(target, [nameOf(source)])
  }
  return (id) => {
    const reads = sources.get(id)
    return text.canvas.agent(
      nameOf(id),
      reads ? text.canvas.reads(reads.join(', ')) : text.canvas.readsNobody,
      (problems.get(id) ?? []).map(({ message }) => message).join(' '),
    )
  }
}
