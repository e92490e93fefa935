/** An episode that a team plays in an environment turn by turn (AT-GRPO): what each message did. */
import type { StillProps } from '@/components/run/family-views'
import type { EpisodeMoved, EpisodeStarted } from '@/generated/events'
import { kept } from '@/graph/family'
import type { AgentView } from '@/graph/run-view'

export const KEY = 'episodes'

/** An environment's state. */
export type Picture = StillProps['picture']

export interface MoveView extends Pick<EpisodeMoved, 'turn' | 'read' | 'team' | 'local' | 'ended'> {
  readonly picture: Picture
  readonly agentId: string
}

export interface EpisodeView extends Pick<EpisodeStarted, 'name' | 'turns'> {
  readonly picture: Picture
  readonly moves: readonly MoveView[]
}

export const { of: episodeOf, change: changeEpisode } = kept<EpisodeView | null>(KEY, null)

export interface TurnPart {
  readonly agentId: string
  /** null: the agent has not answered yet, or its call failed. */
  readonly move: MoveView | null
  /** The turn's last answer, which is the team's. In games the others are proposals. */
  readonly commits: boolean
}

export interface TurnView {
  readonly number: number
  readonly parts: readonly TurnPart[]
  readonly before: Picture
  /** Equals `before` until an agent has answered. */
  readonly after: Picture
}

type Known = Pick<AgentView, 'id' | 'round'>

/** The turns so far, the one that is being played included. */
export function turnsOf(
  episode: EpisodeView | null,
  agents: Iterable<Known> = [],
): readonly TurnView[] {
  if (!episode) return []
  const moves = new Map(episode.moves.map((move) => [move.agentId, move]))
  const speakers = new Map<number, Set<string>>()
  const note = (turn: number | null, id: string): void => {
    if (turn !== null) speakers.set(turn, (speakers.get(turn) ?? new Set()).add(id))
  }
  for (const { id, round } of agents) note(moves.get(id)?.turn ?? round, id)
  for (const { turn, agentId } of episode.moves) note(turn, agentId)
  const turns: TurnView[] = []
  for (const number of [...speakers.keys()].sort((a, b) => a - b)) {
    const ids = [...(speakers.get(number) ?? [])]
    const before = turns.at(-1)?.after ?? episode.picture
    const parts = ids.map((agentId, place): TurnPart => {
      const move = moves.get(agentId) ?? null
      const commits = place === ids.length - 1 && !(place === 0 && isProposal(move))
      return { agentId, move, commits }
    })
    const after = parts.findLast(({ move }) => move)?.move?.picture ?? before
    turns.push({ number, parts, before, after })
  }
  return turns
}

/** Of a turn's only message so far: another agent may still decide. */
const isProposal = (move: MoveView | null): boolean => Boolean(move?.picture.proposal)

/** The turn of this number in an address. */
export const turnNamed = (turns: readonly TurnView[], id: string): TurnView | undefined =>
  turns.find(({ number }) => String(number) === id)

/** Whether one agent proposes and another decides, as in games. Elsewhere each gives an answer of its own. */
export const takesProposals = ({ proposal }: Picture): boolean => proposal !== undefined

export const proposedIn = ({ parts }: TurnView): MoveView | null =>
  parts.find(({ commits, move }) => !commits && move)?.move ?? null

export const committedIn = ({ parts }: TurnView): MoveView | null =>
  parts.find(({ commits }) => commits)?.move ?? null

/** What a message earned in all. */
export const rewardOf = ({ team, local }: MoveView): number =>
  [...Object.values(team), ...Object.values(local)].reduce((sum, part) => sum + part, 0)

export type Standing = 'playing' | 'solved' | 'usedUp' | 'ended' | 'stopped'

/** How the episode stands. `isOver`: the attempt has ended. */
export function standingOf(episode: EpisodeView, isOver: boolean): Standing {
  const last = episode.moves.at(-1)
  if (last?.ended != null) return last.ended === 'solved' ? 'solved' : 'ended'
  if (!isOver) return 'playing'
  return last && last.turn >= episode.turns ? 'usedUp' : 'stopped'
}
