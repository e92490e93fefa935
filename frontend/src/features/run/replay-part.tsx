import { useEffect, useState, type ComponentType } from 'react'

import { useRun } from '@/components/run/run-context'
import { currentAttempt, isEnded, type AttemptView } from '@/graph/run-view'

type Bar = ComponentType<Readonly<{ whole: AttemptView }>>

const AGAIN_MS = 3_000

/** Under the graph of a run that has ended: how it came to be, step by step. */
export function ReplayPart() {
  const whole = useRun(({ view }) => (isEnded(view.status) ? currentAttempt(view) : null))
  if (!whole || whole.agents.size === 0) return null
  return (
    <div className="h-11 shrink-0 border-t border-line bg-surface-1">
      <Later whole={whole} />
    </div>
  )
}

/** Fetched when there is something to look back at, and again while the network is away: a run may
 * end just then, and its page must not end with it. */
function Later({ whole }: Readonly<{ whole: AttemptView }>) {
  const [Found, setFound] = useState<Bar | null>(null)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let gone = false
    import('./replay-bar').then(
      ({ default: bar }) => {
        if (!gone) setFound(() => bar)
      },
      () => {
        if (!gone) timer = setTimeout(() => setTries(tries + 1), AGAIN_MS)
      },
    )
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [tries])
  return Found ? <Found whole={whole} /> : null
}
