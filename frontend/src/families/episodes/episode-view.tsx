import { useEffect, useState } from 'react'

import type { ViewProps } from '@/components/run/family-views'
import { useRun } from '@/components/run/run-context'

import { committedIn, proposedIn, takesProposals, type TurnView } from './episode'
import { Legend } from './legend'
import { resultOf, resultOfTurn } from './results'
import { sceneOf } from './scene'
import { SceneView } from './scene-view'
import { StandingBadge } from './standing-badge'
import { TurnBar } from './turn-bar'
import { useEpisode, useFrame } from './use-episode'
import { text } from './view-words'
import { text as words } from './words'

/** How long a turn stays after its last move, while turns are played. */
const STAYS_MS = 1_000

type Episode = NonNullable<ReturnType<typeof useEpisode>>

/** The board of the episode, turn by turn. It follows the run and its replay until a turn is chosen. */
export function EpisodeView({ selected, onSelect }: Readonly<ViewProps>) {
  const known = useEpisode(selected, onSelect)
  const moment = useRun((state) => state.moment)
  const isPast = moment !== null && selected !== null
  useEffect(() => {
    if (isPast) onSelect(null)
  }, [isPast, onSelect])
  return known ? <Board {...known} /> : null
}

function Board({ episode, shown, numbers, place, standing, choose }: Readonly<Episode>) {
  const [plays, setPlays] = useState(false)
  const scene = sceneOf(shown)
  const moves = scene.kind === 'walk' ? scene.worlds.length - 1 : 0
  const frame = useFrame(shown.number, moves)
  const last = numbers.length - 1
  const isPlaying = plays && place < last
  const goesOn = isPlaying && frame >= moves
  useEffect(() => {
    if (!goesOn) return undefined
    const timer = setTimeout(() => choose(place + 1), STAYS_MS)
    return () => clearTimeout(timer)
  })
  const select = (to: number): void => {
    setPlays(false)
    choose(to)
  }
  const play = (starts: boolean): void => {
    setPlays(starts)
    if (starts && place >= last) choose(0)
  }
  return (
    <section aria-label={text.episode} className="flex size-full min-h-0 flex-col bg-surface-1">
      <div className="flex shrink-0 items-start gap-3 px-3 pt-2.5">
        <p role="status" className="min-w-0 flex-1 text-xs text-ink-2">
          <b className="font-semibold text-ink">{words.turn(shown.number)}</b>{' '}
          {place === 0 ? text.begin : whatHappened(shown)}
        </p>
        <StandingBadge standing={standing} last={episode.moves.at(-1)} />
      </div>
      <div className="flex min-h-0 flex-1 items-center justify-center p-3">
        <SceneView scene={scene} frame={frame} turn={shown.number} />
      </div>
      <Legend scene={scene} />
      <TurnBar
        place={place}
        last={last}
        told={text.place(words.turn(shown.number), episode.turns)}
        isPlaying={isPlaying}
        onPlay={play}
        onChoose={select}
      />
    </section>
  )
}

/** What the team's answer did; while there is none, what the proposal would do. A view without proposals says it
 * itself. */
function whatHappened(turn: TurnView): string {
  const [proposed, decides] = [proposedIn(turn), takesProposals(turn.before)]
  if (committedIn(turn)) return decides ? resultOfTurn(turn) : ''
  if (!proposed) return text.waits
  if (!decides) return text.waitsForOther
  if (proposed.read === '') return text.noProposal
  return text.proposed(resultOf(proposed, turn.before, false) || proposed.read)
}
