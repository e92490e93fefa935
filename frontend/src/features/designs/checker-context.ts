import { createContext, use } from 'react'
import { useStore } from 'zustand'

import type { Checker, CheckerState } from './checker'

export const CheckerContext = createContext<Checker | null>(null)

export function useChecker<T>(read: (state: CheckerState) => T): T {
  const checker = use(CheckerContext)
  if (!checker) throw new Error('A designer’s parts stand inside its context.')
  return useStore(checker, read)
}
