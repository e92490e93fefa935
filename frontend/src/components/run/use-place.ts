import { useMemo } from 'react'

import { momentsOfRows, rowsOf } from '@/graph/rows'
import type { AttemptView } from '@/graph/run-view'

import type { RunFamily } from './family-views'
import { useRun } from './run-context'
import { replayOf, shownWhole } from './run-store'

export interface Place {
  /** The row of the moment that is looked back at; null when the whole run is looked at. */
  readonly row: string | null
  /** Unix seconds, by the worker's clock. */
  readonly at: number | null
  /** Whether a row of this attempt comes after that moment. */
  readonly isLater: (attempt: number, row: string) => boolean
  /** Shows the attempt of a row, and to who looks back the moment that brought the row. */
  readonly goTo: (attempt: number, row: string) => void
}

/** Where the replay stands among the rows of trace and timeline. */
export function usePlace(): Place {
  const moment = useRun((state) => state.moment)
  const attempts = useRun((state) => state.view.attempts)
  const families = useRun((state) => state.families)
  const whole = useRun(shownWhole)
  const go = useRun((state) => state.go)
  const told = moment === null ? null : whole
  const moments = useMemo(() => (told ? momentsIn(told, families) : null), [told, families])
  const event =
    told && moment !== null ? replayOf(told, families).moments[moment]?.event : undefined
  return {
    row: told && event ? (rowsOf(told.attempt, event, families)[0] ?? null) : null,
    at: event?.at ?? null,
    isLater: (attempt, row) => {
      if (!told || !moments || moment === null) return false
      if (attempt !== told.attempt) return attempt > told.attempt
      return (moments.get(row) ?? 0) > moment
    },
    goTo: (attempt, row) => {
      if (moment === null) return go(attempt, null)
      const of = attempts.find((each) => each.attempt === attempt)
      const found = of && momentsIn(of, families).get(row)
      go(attempt, found ?? null)
    },
  }
}

const momentsIn = (attempt: AttemptView, families: readonly RunFamily[]) =>
  momentsOfRows(attempt, replayOf(attempt, families).moments, families)
