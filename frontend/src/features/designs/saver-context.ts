import { createContext, use } from 'react'
import { useStore } from 'zustand'

import type { Saver, SaverState } from './saver'

export const SaverContext = createContext<Saver | null>(null)

export function useSaverStore(): Saver {
  const saver = use(SaverContext)
  if (!saver) throw new Error('A designer’s parts stand inside its context.')
  return saver
}

export function useSaver<T>(read: (state: SaverState) => T): T {
  return useStore(useSaverStore(), read)
}
