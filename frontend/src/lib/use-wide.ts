import { useSyncExternalStore } from 'react'

/** Graph and panel side by side from this width on; below, the panels are tabs under the graph. */
const WIDE = '(min-width: 1024px)'
const STILL = '(prefers-reduced-motion: reduce)'

function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = globalThis.matchMedia(query)
      media.addEventListener('change', changed)
      return () => media.removeEventListener('change', changed)
    },
    () => globalThis.matchMedia(query).matches,
  )
}

export const useWide = (): boolean => useMedia(WIDE)

export const useReducedMotion = (): boolean => useMedia(STILL)
