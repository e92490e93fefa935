/** How the blocks of a drawing stand: their calls, what these used, and where they are. */
import type { AgentStatus, AgentView, UsageView } from '@/graph/run-view'
import { addUsage, tokensOf } from '@/graph/totals'

import { grouped } from './grouped'
import type { BlockCalled, BlockKind, Drawing, DrawnBlock } from './scripts'

export interface CallView {
  readonly call: BlockCalled
  /** null: not known at the moment that is shown. */
  readonly agent: AgentView | null
}

export interface BlockView {
  readonly drawn: DrawnBlock
  /** Its own; of a block that holds others, theirs. */
  readonly calls: readonly CallView[]
  readonly status: AgentStatus
  /** null: unknown. */
  readonly tokens: number | null
}

/** Python's own: what they do is known only when the script runs. */
export const DYNAMIC: ReadonlySet<BlockKind> = new Set(['if', 'for', 'while'])

type Agents = ReadonlyMap<string, AgentView>

/** By id, each holder before what it holds. */
export function blocksOf(
  drawing: Drawing | null,
  calls: readonly BlockCalled[],
  agents: Agents,
): ReadonlyMap<string, BlockView> {
  const blocks = inOrder(drawing?.blocks ?? [])
  const byBlock = grouped(calls, ({ block }) => block)
  const views = new Map<string, BlockView>()
  const within = withinOf(blocks)
  for (const drawn of blocks) {
    const own = [drawn.id, ...(within.get(drawn.id) ?? [])].flatMap((id) => byBlock.get(id) ?? [])
    const told = own
      .toSorted((a, b) => a.call - b.call)
      .map((call) => ({ call, agent: agents.get(call.node.id) ?? null }))
    views.set(drawn.id, { drawn, calls: told, status: statusOf(told), tokens: usedBy(told) })
  }
  return views
}

export function statusOf(calls: readonly CallView[]): AgentStatus {
  const statuses = calls.flatMap(({ agent }) => agent?.status ?? [])
  if (statuses.includes('active')) return 'active'
  if (statuses.includes('held')) return 'held'
  const last = statuses.at(-1)
  if (last === undefined) return 'waiting'
  // One that failed contributes nothing; the others' messages count.
  return statuses.findLast((status) => status !== 'failed') ?? 'failed'
}

export function usedBy(calls: readonly CallView[]): number | null {
  const known: UsageView[] = calls.flatMap(({ agent }) => agent?.usage ?? [])
  return known.length > 0 ? tokensOf(known.reduce(addUsage)) : null
}

/** Each holder before what it holds; what names a holder that is not there stands at the top. */
export function inOrder(blocks: readonly DrawnBlock[]): readonly DrawnBlock[] {
  const held = heldBy(blocks)
  const ordered: DrawnBlock[] = []
  const seen = new Set<string>()
  const add = (block: DrawnBlock): void => {
    if (seen.has(block.id)) return
    seen.add(block.id)
    ordered.push(block)
    for (const inner of held.get(block.id) ?? []) add(inner)
  }
  for (const block of held.get(null) ?? []) add(block)
  for (const block of blocks) add(block)
  return ordered
}

/** Blocks by the id of their holder. */
export function heldBy(
  blocks: readonly DrawnBlock[],
): ReadonlyMap<string | null, readonly DrawnBlock[]> {
  const known = new Set(blocks.map(({ id }) => id))
  return grouped(blocks, ({ id, inside }) =>
    inside !== null && inside !== id && known.has(inside) ? inside : null,
  )
}

/** Ids of all that a block holds, at any depth. */
function withinOf(blocks: readonly DrawnBlock[]): ReadonlyMap<string, readonly string[]> {
  const held = heldBy(blocks)
  const found = new Map<string, readonly string[]>()
  for (const { id } of blocks.toReversed())
    found.set(
      id,
      (held.get(id) ?? []).flatMap((inner) => [inner.id, ...(found.get(inner.id) ?? [])]),
    )
  return found
}
