/** The turns of an episode as branches of the trace, each with the agents that spoke in it. */
import type { Tree } from '@/graph/family'
import type { AttemptView } from '@/graph/run-view'
import type { TraceNode } from '@/graph/tree'

import { episodeOf, turnsOf } from './episode'
import { resultOfTurn } from './results'
import { text } from './words'

export const rows = { turn: (number: number) => `turn-${number}` }

export const branches = (attempt: AttemptView, tree: Tree): readonly TraceNode[] =>
  turnsOf(episodeOf(attempt), attempt.agents.values()).map((turn) => ({
    ...tree.leaf(rows.turn(turn.number), 'turn', text.turn(turn.number)),
    detail: resultOfTurn(turn),
    children: turn.parts.flatMap(({ agentId }) => {
      const agent = attempt.agents.get(agentId)
      return agent ? [tree.agent(agent)] : []
    }),
  }))
