import { useMemo, useState, type ReactNode } from 'react'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'

import { later } from '@/components/later'
import { useMe } from '@/lib/api/queries'
import { useCommands } from '@/lib/commands'

import { text } from '@/strings/tour'

const Tour = later(async () => (await import('./tour')).Tour, {
  waiting: () => null,
  failed: () => null,
})

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

interface Shown {
  readonly tour: ReactNode
  readonly show: () => void
}

/** The tour over a run's page, and the command that shows it. With `begins` it opens by itself for
 * who has not seen it. */
export function useTour({ begins = false } = {}): Shown {
  const { seen, remember } = useTourSeen()
  const [wanted, setWanted] = useState<boolean | null>(null)
  const isOpen = wanted ?? (begins && seen === false)
  const show = (): void => setWanted(true)
  useCommands(
    useMemo(() => [{ id: 'run.tour', label: text.show, run: () => setWanted(true) }], [setWanted]),
  )
  const close = (): void => {
    setWanted(false)
    remember()
  }
  return { tour: isOpen ? <Tour onClose={close} /> : null, show }
}
