/** Their events, and what the pages of a run show of them. */
import { Grid3x3 } from 'lucide-react'

import { later } from '@/components/later'
import type { RunFamily } from '@/components/run/family-views'
import type { AgentFact } from '@/graph/family'
import type { AttemptView } from '@/graph/run-view'

import { episodeOf, KEY, turnNamed, turnsOf } from './episode'
import { EVENTS } from './events'
import { TurnOf } from './of-agent'
import { branches } from './trace'
import { episodes } from '.'
import { text } from './words'

/** Fetched when it is shown. */
const views = () => import('./views')

export const family: RunFamily = {
  key: KEY,
  events: EVENTS,
  branches,
  factOf,
  // It ends as soon as it is solved.
  progress: (attempt) => (episodeOf(attempt) ? 'open' : null),
  rowLooks: { turn: { icon: Grid3x3, isStrong: true, opensAtFirst: true } },
  tab: {
    key: 'board',
    parameter: episodes.parameter,
    words: text,
    nameOf: (attempt, id) => {
      const episode = episodeOf(attempt)
      if (!episode) return null
      const known = id === '0' || turnNamed(turnsOf(episode, attempt.agents.values()), id)
      return known ? text.turn(Number(id)) : null
    },
    View: later(async () => (await views()).EpisodeView),
    Side: later(async () => (await views()).TurnList),
  },
  Asked: TurnOf,
}

function factOf(attempt: Pick<AttemptView, 'families'>, agent: string): AgentFact | null {
  const move = episodeOf(attempt)?.moves.find(({ agentId }) => agentId === agent)
  if (!move) return null
  const name = text.turn(move.turn)
  return { title: text.agent.turn, name, short: name, text: move.read }
}
