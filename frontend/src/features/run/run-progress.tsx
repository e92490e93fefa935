import { useShallow } from 'zustand/react/shallow'

import { ProgressBar } from '@/components/progress-bar'
import { useRun } from '@/components/run/run-context'
import type { Progress } from '@/graph/family'
import { formatLeft } from '@/lib/format'
import { useTimeLeft } from '@/lib/use-time-left'

import { plannedProgress } from './progress'

/** How much of a planned team, or of what its family counts, is done, and about how long the rest takes.
 * The end of a team that is built while it runs is not known: the tab's title counts those so far. */
export function RunProgress() {
  const progress = useRun(useShallow(({ view, families }) => plannedProgress(view, families)))
  return progress && <Bar {...progress} />
}

function Bar({ done, total, words }: Readonly<Progress>) {
  const left = useTimeLeft(done, total)
  return (
    <ProgressBar
      label={words.progress}
      value={done}
      total={total}
      text={words.spokenOf(done, total, left === null ? null : formatLeft(left))}
      className="max-w-xl"
    />
  )
}
