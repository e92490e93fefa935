import { useQueries } from '@tanstack/react-query'

import { useFeeds } from './use-feeds'
import { jobQuery, type Training } from './use-training'

/** A training whose curve is drawn. */
export interface Shown {
  readonly job: Training
  /** Colour and dash: its place in the address, so that they stay when another comes or goes. */
  readonly series: number
}

/**
 * The trainings over this one, as the address names them, however old they are. `missing` are those
 * that are not there, or that nobody may see.
 */
export function useOverlays(job: Training, others: readonly string[]) {
  const ids = [...new Set(others)].filter((id) => id !== job.id)
  const asked = useQueries({ queries: ids.map((id) => jobQuery(id)) })
  const missing = ids.filter((_, place) => asked[place]?.isError)
  const overlays = asked.flatMap(({ data, isError }, place): Shown[] =>
    data && !isError ? [{ job: data, series: place + 1 }] : [],
  )
  useFeeds(overlays.map((one) => one.job.id))
  return { shown: [{ job, series: 0 }, ...overlays], missing }
}

/** The chosen ones in the order in which they were chosen first, so that each keeps its place. */
export const inOldOrder = (before: readonly string[], chosen: readonly string[]): string[] => [
  ...before.filter((id) => chosen.includes(id)),
  ...chosen.filter((id) => !before.includes(id)),
]
