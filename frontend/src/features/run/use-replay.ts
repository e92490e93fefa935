import { useEffect, useRef } from 'react'

import { useRun } from '@/components/run/run-context'
import { replayOf, storedWhole } from '@/components/run/run-store'
import { paceOf } from '@/graph/replay'

import { useRunAddress } from './run-address'

/** A slider passes many moments on the way to the one that is meant. */
const SETTLED_MS = 250

/** Lets the replay of what has ended go on, and keeps the address saying what is shown: whoever
 * follows it is taken to that attempt and moment, and while it plays it names no moment, so that
 * whoever comes back is not taken to one that has passed. Once for the page, whichever of its views
 * is open. */
export function useReplay(): void {
  const go = useRun((state) => state.go)
  const seek = useRun((state) => state.seek)
  const playing = useRun((state) => state.playing)
  const moment = useRun((state) => state.moment)
  const chosen = useRun((state) => state.chosen)
  const whole = useRun(storedWhole)
  const families = useRun((state) => state.families)
  const { attempt: linkedAttempt, moment: linkedMoment, openPlace } = useRunAddress()
  const arrivesIn = useRef(linkedAttempt)
  const arrivesAt = useRef(linkedMoment)

  useEffect(() => {
    if (arrivesIn.current !== null) go(arrivesIn.current, null)
    arrivesIn.current = null
  }, [go])

  useEffect(() => {
    if (!whole || arrivesAt.current === null) return
    seek(arrivesAt.current)
    arrivesAt.current = null
  }, [whole, seek])

  useEffect(() => {
    if (!whole || !playing || moment === null) return undefined
    const { stride, milliseconds } = paceOf(replayOf(whole, families).moments.length)
    const timer = setTimeout(() => seek(moment + stride), milliseconds)
    return () => clearTimeout(timer)
  }, [whole, families, playing, moment, seek])

  const said = playing ? null : moment
  useEffect(() => {
    const isSaid = said === linkedMoment && chosen === linkedAttempt
    if (arrivesAt.current !== null || isSaid) return undefined
    const timer = setTimeout(() => openPlace(chosen, said), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [said, linkedMoment, chosen, linkedAttempt, openPlace])
}
