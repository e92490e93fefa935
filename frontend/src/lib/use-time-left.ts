import { useState } from 'react'

import { useNow } from './use-now'

const TICK_MS = 1_000

interface Start {
  readonly at: number
  readonly done: number
}

/** Seconds until all is done at the pace since this was first asked; null while nothing tells. */
export function useTimeLeft(done: number, total: number): number | null {
  const now = useNow(TICK_MS)
  const [start] = useState<Start>(() => ({ at: now, done }))
  return timeLeft(start, { at: now, done }, total)
}

export function timeLeft(start: Start, now: Start, total: number): number | null {
  const made = now.done - start.done
  if (made <= 0 || now.done >= total) return null
  return ((now.at - start.at) / 1_000 / made) * (total - now.done)
}
