import { useMemo, useState, type ReactNode } from 'react'

import { later } from '@/components/later'
import { useCommands } from '@/lib/commands'

import { text } from '@/strings/run'

const Tour = later(async () => (await import('./tour')).Tour, {
  waiting: () => null,
  failed: () => null,
})

interface Shown {
  readonly tour: ReactNode
  readonly show: () => void
}

/** The tour over a run's page, and the command that shows it. With `begins` it opens by itself. */
export function useTour({ begins = false } = {}): Shown {
  const [wanted, setWanted] = useState<boolean | null>(null)
  const show = (): void => setWanted(true)
  useCommands(
    useMemo(() => [{ id: 'run.tour', label: text.tour, run: () => setWanted(true) }], [setWanted]),
  )
  const tour = (wanted ?? begins) ? <Tour onClose={() => setWanted(false)} /> : null
  return { tour, show }
}
