import { isSaidOtherwise, type Overlay, type OverlayNode } from '@/graph/overlay'
import type { AgentView } from '@/graph/run-view'
import { tokensOf } from '@/graph/totals'
import { formatCost, formatCount, formatSeconds } from '@/lib/format'

import { text } from '@/strings/compare'

/** "in both, says something else" */
export const sideText = (node: OverlayNode): string =>
  isSaidOtherwise(node) ? `${text.sides[node.side]}, ${text.differs}` : text.sides[node.side]

/** "Solver, in both, says something else, reads Planner, Left: 120 tokens, $0.01, 2.1 s, Right: …" */
export function sentencesOf({ nodes }: Overlay): (node: OverlayNode) => string {
  const names = new Map(nodes.map(({ id, name }) => [id, name]))
  return (node) =>
    [
      node.name,
      sideText(node),
      node.reads.length > 0
        ? text.reads(node.reads.map((id) => names.get(id) ?? id).join(', '))
        : null,
      tookText(text.left, node.left),
      tookText(text.right, node.right),
    ]
      .filter(Boolean)
      .join(', ')
}

const tookText = (side: string, agent: AgentView | null): string | null =>
  agent &&
  text.took(
    side,
    formatCount(tokensOf(agent.usage)),
    formatCost(agent.usage?.cost),
    formatSeconds(agent.seconds),
  )
