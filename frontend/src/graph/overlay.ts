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
  readonly nodes: readonly OverlayNode[]
  readonly edges: readonly OverlayEdge[]
}

export function overlayOf(left: AttemptView | null, right: AttemptView | null): Overlay {
  const [ours, theirs] = [present(left), present(right)]
  const pairs = pairsOf(ours, theirs)
  const leftIds = new Map(pairs.map(({ id, left: agent }) => [agent?.id ?? '', id]))
  const rightIds = new Map(pairs.map(({ id, right: agent }) => [agent?.id ?? '', id]))
  const edges = mergedEdges(edgesOf(left, leftIds), edgesOf(right, rightIds))
  const names = new Map([...agentNames(ours), ...prefixed(agentNames(theirs))])
  return {
    nodes: pairs.map((pair) => ({
      ...pair,
      name:
        names.get(pair.left?.id ?? '') ?? names.get(`${RIGHT}${pair.right?.id ?? ''}`) ?? pair.id,
      reads: edges.filter(({ target }) => target === pair.id).map(({ source }) => source),
    })),
    edges,
  }
}

const RIGHT = 'right '

const prefixed = (names: ReadonlyMap<string, string>): [string, string][] =>
  [...names].map(([id, name]) => [`${RIGHT}${id}`, name])

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
      return { id: agent.id, side: right ? 'both' : 'left', left: agent, right }
    }),
    ...[...free].map((agent): Pair => {
      const id = `${RIGHT}${agent.id}`
      return { id, side: 'right', left: null, right: agent }
    }),
  ]
}

const present = (attempt: AttemptView | null): AgentView[] =>
  [...(attempt?.agents.values() ?? [])].filter(({ status }) => status !== 'removed')

function edgesOf(
  attempt: AttemptView | null,
  ids: ReadonlyMap<string, string>,
): [string, string][] {
  return (attempt?.edges ?? []).flatMap(({ source, target }): [string, string][] => {
    const [from, to] = [ids.get(source), ids.get(target)]
    return from !== undefined && to !== undefined ? [[from, to]] : []
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
