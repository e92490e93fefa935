import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'

import { isEnded } from '@/graph/run-view'
import { toApiError } from '@/lib/api/errors'
import { queries } from '@/lib/api/queries'
import { subscribe } from '@/lib/stream/stream'

import type { AnyFamily } from './family-views'
import { createRunStore, type RunStore } from './run-store'

const CATCH_UP_MS = 2_000

interface RunOfStream {
  readonly store: RunStore
  readonly problem: Error | null
  readonly retry: () => void
}

/**
 * The store of one run, fed by the stream and by the stored run. The stored run covers what the stream
 * cannot: a run that does not exist, and the time before the first frame.
 */
export function useRunStream(id: string, families: readonly AnyFamily[]): RunOfStream {
  const [store] = useState(() => createRunStore(id, families))
  const behind = useStore(store, ({ view }) => {
    const storedEnd = view.detail !== null && isEnded(view.detail.status)
    return isEnded(view.status) && !storedEnd
  })
  const stored = useQuery({ ...queries.run(id), refetchInterval: behind ? CATCH_UP_MS : false })
  const detail = stored.data

  // Of a run that nobody may see there is no stream: opened beside others, it would break theirs off.
  const isWorthStreaming = !stored.isPending && !isGone(stored.error)
  useEffect(
    () => (isWorthStreaming ? subscribe(id, store.getState().applyFrames) : undefined),
    [id, store, isWorthStreaming],
  )
  useEffect(() => {
    if (detail) store.getState().applyFrames([{ type: 'status', run: id, detail }])
  }, [detail, id, store])

  return { store, problem: detail ? null : stored.error, retry: () => void stored.refetch() }
}

const isGone = (error: Error | null): boolean =>
  error !== null && [401, 403, 404, 410].includes(toApiError(error).status)
