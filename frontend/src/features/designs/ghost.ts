/** What runs behind all agents though nobody drew it: the summary agent, or the count of a vote. */
import { DEFAULT_LAYOUT, type Point } from '@/graph/layout'

import { cardSize, idsOf, type DesignSpec } from './edits'

/** No agent's id begins so. */
export const GHOST_ID = ':ghost'

export interface Ghost {
  readonly kind: 'summary' | 'vote'
  readonly place: Point
  /** Whom it reads. */
  readonly reads: readonly string[]
}

/** To the right of every agent, at their middle, or below a row of them, so that the lines to it do not run
 * behind cards; null: an agent answers by itself. */
export function ghostOf(design: DesignSpec): Ghost | null {
  const { agents, summary, vote } = design
  if (agents.length === 0 || (!summary && vote.length === 0)) return null
  const [xs, ys] = [agents.map(({ x }) => x ?? 0), agents.map(({ y }) => y ?? 0)]
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)]
  const isRow = agents.length > 1 && top === bottom
  const place = {
    x: Math.max(...xs) + cardSize.width + 2 * DEFAULT_LAYOUT.columnGap,
    y: isRow ? top + cardSize.height + DEFAULT_LAYOUT.rowGap : Math.round((top + bottom) / 2),
  }
  return summary
    ? { kind: 'summary', place, reads: idsOf(design) }
    : { kind: 'vote', place, reads: vote }
}
