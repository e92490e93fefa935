/**
 * Two runs' graphs laid over each other: what both have, what only the left one has, what only the right one.
 *
 * Agents are the same where id and role are (a fork, a design and its change), else where the role is, in order
 * of appearance (two policies on one question).
 */
import { agentNames } from './names'
import type { AgentView, AttemptView } from './run-view'

export type Side = 'both' | 'left' | 'right'

export interface OverlayNode {
  readonly id: string
  readonly name: string
  readonly side: Side
  readonly left: AgentView | null
  readonly right: AgentView | null
  /** Nodes that it reads on either side. */
  readonly reads: readonly string[]
}

export interface OverlayEdge {
  readonly id: string
  readonly source: string
  readonly target: string
  readonly side: Side
}

export interface Overlay {
  /** Each after those that it reads, as far as no two of them read each other. */
  readonly nodes: readonly OverlayNode[]
  readonly edges: readonly OverlayEdge[]
}

/** What of an attempt is laid over another: it stays the same while agents write. */
export type Team = Pick<AttemptView, 'agents' | 'edges'>

export function overlayOf(left: Team | null, right: Team | null): Overlay {
  const [ours, theirs] = [present(left), present(right)]
  const pairs = pairsOf(ours, theirs)
  const leftIds = new Map(pairs.map(({ id, left: agent }) => [agent?.id ?? '', id]))
  const rightIds = new Map(pairs.map(({ id, right: agent }) => [agent?.id ?? '', id]))
  const edges = mergedEdges(edgesOf(left, leftIds), edgesOf(right, rightIds))
  const [ourNames, theirNames] = [agentNames(ours), agentNames(theirs)]
  const nodes = pairs.map((pair) => ({
    ...pair,
    name: ourNames.get(pair.left?.id ?? '') ?? theirNames.get(pair.right?.id ?? '') ?? pair.id,
    reads: edges.filter(({ target }) => target === pair.id).map(({ source }) => source),
  }))
  return { nodes: inReadingOrder(nodes), edges }
}

/** Its id once the sides have been swapped. */
export const swappedId = ({ left, right }: OverlayNode): string => pairId(right, left)

/** Both have it, and on each side it said something else. */
export const isSaidOtherwise = ({ side, left, right }: OverlayNode): boolean =>
  side === 'both' && left?.message !== right?.message

/** Left out of a circle, which two matched teams may form, is the wait for those that come later. */
function inReadingOrder(nodes: readonly OverlayNode[]): OverlayNode[] {
  const ordered: OverlayNode[] = []
  const done = new Set<string>()
  let waiting = [...nodes]
  while (waiting.length > 0) {
    const ready = waiting.filter(({ reads }) => reads.every((id) => done.has(id)))
    const next = new Set(ready.length > 0 ? ready : waiting.slice(0, 1))
    for (const node of next) {
      ordered.push(node)
      done.add(node.id)
    }
    waiting = waiting.filter((node) => !next.has(node))
  }
  return ordered
}

/** No agent's id has a colon; spaces part ids elsewhere. */
const RIGHT = 'right:'

const pairId = (left: AgentView | null, right: AgentView | null): string =>
  left?.id ?? `${RIGHT}${right?.id ?? ''}`

type Pair = Pick<OverlayNode, 'id' | 'side' | 'left' | 'right'>

function pairsOf(ours: readonly AgentView[], theirs: readonly AgentView[]): Pair[] {
  const free = new Set(theirs)
  const partner = new Map<AgentView, AgentView>()
  const match = (isSame: (a: AgentView, b: AgentView) => boolean): void => {
    for (const agent of ours) {
      if (partner.has(agent)) continue
      const found = [...free].find((other) => isSame(agent, other))
      if (!found) continue
      partner.set(agent, found)
      free.delete(found)
    }
  }
  match((a, b) => a.id === b.id && a.roleKey === b.roleKey)
  match((a, b) => a.roleKey === b.roleKey)
  return [
    ...ours.map((agent): Pair => {
      const right = partner.get(agent) ?? null
      return { id: pairId(agent, right), side: right ? 'both' : 'left', left: agent, right }
    }),
    ...[...free].map((agent): Pair => {
      return { id: pairId(null, agent), side: 'right', left: null, right: agent }
    }),
  ]
}

const present = (attempt: Team | null): AgentView[] =>
  [...(attempt?.agents.values() ?? [])].filter(({ status }) => status !== 'removed')

function edgesOf(attempt: Team | null, ids: ReadonlyMap<string, string>): [string, string][] {
  return (attempt?.edges ?? []).flatMap(({ source, target, back }): [string, string][] => {
    const [from, to] = [ids.get(source), ids.get(target)]
    return !back && from !== undefined && to !== undefined ? [[from, to]] : []
  })
}

function mergedEdges(left: readonly [string, string][], right: readonly [string, string][]) {
  const merged = new Map<string, OverlayEdge>()
  for (const [side, edges] of [
    ['left', left],
    ['right', right],
  ] as const) {
    for (const [source, target] of edges) {
      const id = `${source} ${target}`
      const known = merged.get(id)
      merged.set(id, { id, source, target, side: known && known.side !== side ? 'both' : side })
    }
  }
  return [...merged.values()]
}
