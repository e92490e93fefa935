import { useEffect, useMemo, useState } from 'react'

import { useRun } from '@/components/run/run-context'
import { shownWhole, storedWhole } from '@/components/run/run-store'
import { useAgents } from '@/components/run/use-agents'
import { hasStopped } from '@/graph/run-view'
import { useReducedMotion } from '@/lib/use-wide'

import { episodeOf, standingOf, turnNamed, turnsOf, type TurnView } from './episode'
import { startOf } from './scene'

type OnSelect = (id: string | null) => void

/** The episode at the shown moment, with the chosen turn, or the newest. */
export function useEpisode(selected: string | null, onSelect: OnSelect) {
  const episode = useRun(({ attempt }) => episodeOf(attempt))
  const whole = useRun((state) => episodeOf(shownWhole(state)))
  const isLive = useRun((state) => storedWhole(state) === null)
  const isOver = useRun(({ attempt }) => attempt !== null && hasStopped(attempt))
  const seek = useRun((state) => state.seek)
  const agents = useAgents()
  const turns = useMemo(() => turnsOf(episode, agents.values()), [episode, agents])
  const all = useMemo(() => turnsOf(whole), [whole])
  if (!episode) return null
  const start = startOf(episode.picture)
  // While a turn is played, some of its agents have not answered.
  const known = turns.length > all.length ? turns : all
  const numbers = [start.number, ...known.map(({ number }) => number)]
  const shown: TurnView =
    [start, ...turns].find((turn) => turnNamed([turn], selected ?? '')) ?? turns.at(-1) ?? start
  const place = numbers.indexOf(shown.number)
  return {
    episode,
    turns,
    numbers,
    shown,
    place,
    standing: standingOf(episode, isOver),
    /** By its place in `numbers`. In a run that goes on, the last place follows new turns. */
    choose: (to: number): void => {
      seek(null)
      onSelect(isLive && to >= numbers.length - 1 ? null : String(numbers[to]))
    },
  }
}

const CELL_MS = 220
const TURN_MS = 1_600

/** How many of a turn's moves are shown: all, but one after the other when the turn has just come. */
export function useFrame(turn: number, moves: number): number {
  const isStill = useReducedMotion()
  const [told, setTold] = useState({ turn, moves })
  const [shown, setShown] = useState(moves)
  if (told.turn !== turn || told.moves !== moves) {
    const isNext = turn > told.turn || (turn === told.turn && moves > told.moves)
    setTold({ turn, moves })
    setShown(isNext && !isStill ? 0 : moves)
  }
  useEffect(() => {
    if (shown >= moves) return undefined
    const timer = setTimeout(() => setShown(shown + 1), Math.min(CELL_MS, TURN_MS / moves))
    return () => clearTimeout(timer)
  }, [shown, moves])
  return Math.min(shown, moves)
}
