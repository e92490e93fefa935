/** The events of an episode: their effect on the attempt, their rows of the trace, their words in the replay. */
import type { GraphFamily } from '@/graph/family'
import { shortText } from '@/graph/text'

import { changeEpisode, episodeOf, takesProposals, turnsOf } from './episode'
import { rows } from './trace'
import { text } from './words'

const { replay: words } = text
const SHOWN_READ = 60

export const EVENTS: GraphFamily['events'] = {
  episode_started: {
    fold: (draft, { name, picture, turns }) => {
      changeEpisode(draft, () => ({ name, picture, turns, moves: [] }))
      draft.setAnsweredBy([])
    },
    moment: ({ name }) => words.begins(name),
  },
  episode_moved: {
    fold: (draft, { agent_id: agentId, turn, read, team, local, picture, ended }) => {
      const move = { agentId, turn, read, team, local, picture, ended }
      changeEpisode(draft, (known) => known && { ...known, moves: [...known.moves, move] })
      draft.setAnsweredBy([agentId])
    },
    rows: ({ turn }) => [rows.turn(turn)],
    moment: ({ agent_id: agent, read, picture }, { nameOf, whole }) => {
      const name = nameOf(agent)
      if (read === '') return words.nothing(name)
      const what = shortText(read, SHOWN_READ)
      if (!takesProposals(picture)) return words.answers(name, what)
      const parts = turnsOf(episodeOf(whole)).flatMap((turn) => turn.parts)
      const decides = parts.find(({ agentId }) => agentId === agent)?.commits
      return words[decides ? 'commits' : 'proposes'](name, what)
    },
  },
  // A turn's row comes with its first agent.
  graph_planned: {
    rows: ({ graph }) => {
      const round = graph.nodes.at(-1)?.round
      return ['', ...(round == null ? [] : [rows.turn(round)])]
    },
  },
}
