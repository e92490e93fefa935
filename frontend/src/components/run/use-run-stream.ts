import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'

import { isEnded } from '@/graph/run-view'
import { queries } from '@/lib/api/queries'
import { subscribe } from '@/lib/stream/stream'

import { createRunStore, type RunStore } from './run-store'

const CATCH_UP_MS = 2_000

/**
 * The store of one run, fed by the stream and by the stored run. The stored run covers what the stream
 * cannot: a run that does not exist, and the time before the first frame.
 */
export function useRunStream(id: string): { store: RunStore; problem: Error | null } {
  const [store] = useState(() => createRunStore(id))
  const behind = useStore(store, ({ view }) => {
    const storedEnd = view.detail !== null && isEnded(view.detail.status)
    return isEnded(view.status) && !storedEnd
  })
  const stored = useQuery({ ...queries.run(id), refetchInterval: behind ? CATCH_UP_MS : false })
  const detail = stored.data

  useEffect(() => subscribe(id, store.getState().applyFrames), [id, store])
  useEffect(() => {
    if (detail) store.getState().applyFrames([{ type: 'status', run: id, detail }])
  }, [detail, id, store])

  return { store, problem: detail ? null : stored.error }
}
