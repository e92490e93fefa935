import { useEffect, useRef } from 'react'

import { useRun } from '@/components/run/run-context'
import { replayOf } from '@/components/run/run-store'
import { paceOf } from '@/graph/replay'
import { currentAttempt, isEnded } from '@/graph/run-view'

import { useRunAddress } from './run-address'

/** A slider passes many moments on the way to the one that is meant. */
const SETTLED_MS = 250

/** Lets the replay of a run that has ended go on, and keeps the address saying what is shown:
 * whoever follows it is taken to that moment, and while it plays it names none, so that whoever
 * comes back is not taken to one that has passed. Once for the page, whichever of its views is
 * open. */
export function useReplay(): void {
  const seek = useRun((state) => state.seek)
  const playing = useRun((state) => state.playing)
  const moment = useRun((state) => state.moment)
  const whole = useRun(({ view }) => (isEnded(view.status) ? currentAttempt(view) : null))
  const { moment: linked, openMoment } = useRunAddress()
  const arrives = useRef(linked)

  useEffect(() => {
    if (!whole || arrives.current === null) return
    seek(arrives.current)
    arrives.current = null
  }, [whole, seek])

  useEffect(() => {
    if (!whole || !playing || moment === null) return undefined
    const { stride, milliseconds } = paceOf(replayOf(whole).moments.length)
    const timer = setTimeout(() => seek(moment + stride), milliseconds)
    return () => clearTimeout(timer)
  }, [whole, playing, moment, seek])

  const said = playing ? null : moment
  useEffect(() => {
    if (!whole || arrives.current !== null || said === linked) return undefined
    const timer = setTimeout(() => openMoment(said), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [whole, said, linked, openMoment])
}
