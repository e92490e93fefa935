import { fetched } from '@/components/later'
import type { Frame, RunEvent } from '@/graph/frames'

import type { LaterFamily, RunFamily } from './family-views'

type Apply = (frames: readonly Frame[]) => void

/**
 * Hands frames to `apply` in their order. From the first one on that a family tells of which is not there yet, all
 * wait until it was fetched and handed to `add`. Without a server they go on without it.
 */
export function withFamilies(
  later: readonly LaterFamily[],
  apply: Apply,
  add: (family: RunFamily) => void,
): Apply {
  let missing = later
  let held: readonly Frame[] | null = null

  const onward: Apply = (frames) => {
    if (held) {
      held = [...held, ...frames]
      return
    }
    const events = missing.length > 0 ? frames.flatMap(eventsOf) : []
    const told = new Set(events.map(({ event }) => event))
    const next = missing.find(
      ({ tells, isWanted }) =>
        tells.some((kind) => told.has(kind)) || (isWanted && events.some(isWanted)),
    )
    if (!next) {
      apply(frames)
      return
    }
    held = frames
    missing = missing.filter((family) => family !== next)
    const goOn = (): void => {
      const all = held ?? []
      held = null
      onward(all)
    }
    fetched(next.load).then(add).then(goOn, goOn)
  }
  return onward
}

function eventsOf(frame: Frame): RunEvent[] {
  if (frame.type === 'trace') return [frame.event]
  return frame.type === 'snapshot' ? frame.events.map(({ event }) => event) : []
}
