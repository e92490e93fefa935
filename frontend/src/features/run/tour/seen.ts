import { create } from 'zustand'
import { persist } from 'zustand/middleware'

import { useMe } from '@/lib/api/queries'

interface Seen {
  /** Who in this browser has been on the tour, or wants none. */
  readonly by: readonly string[]
  readonly add: (username: string) => void
}

const useSeen = create<Seen>()(
  persist((set) => ({ by: [], add: (name) => set(({ by }) => ({ by: [...by, name] })) }), {
    name: 'mas-studio-tour',
  }),
)

/** Whether whoever is logged in has seen the tour, and what remembers that they need none; null while
 * it is not known who that is. */
export function useTourSeen(): { readonly seen: boolean | null; readonly remember: () => void } {
  const name = useMe()?.username
  const { by, add } = useSeen()
  const seen = name === undefined ? null : by.includes(name)
  return {
    seen,
    remember: () => {
      if (name !== undefined && !seen) add(name)
    },
  }
}
