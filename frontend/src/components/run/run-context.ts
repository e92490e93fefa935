import { createContext, use } from 'react'
import { useStore } from 'zustand'

import { useNow } from '@/lib/use-now'

import type { RunState, RunStore } from './run-store'

export const RunContext = createContext<RunStore | null>(null)

/** A part of the run's state; the component renders again only when that part is another. */
export function useRun<T>(select: (state: RunState) => T): T {
  const store = use(RunContext)
  if (!store) throw new Error('useRun needs a RunContext around it')
  return useStore(store, select)
}

/** Unix seconds by the worker's clock, ticking. */
export function useWorkerNow(interval: number): number {
  const skew = useRun((state) => state.skew)
  return useNow(interval) / 1000 - (skew ?? 0)
}
