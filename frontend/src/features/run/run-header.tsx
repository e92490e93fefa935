import { useState, type ReactNode } from 'react'

import { StatusBadge } from '@/components/badge'
import { Button } from '@/components/button'
import { cx } from '@/components/cx'
import { useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'
import { VerdictBadge } from '@/components/verdict-badge'

import { RunFacts } from './run-facts'
import { RunProgress } from './run-progress'
import { RunSettings } from './run-settings'

const LONG_QUERY = 160

export function RunHeader({ actions }: Readonly<{ actions: ReactNode }>) {
  const status = useRun((state) => state.view.status)
  return (
    <header className="flex flex-col gap-3 border-b border-line bg-surface-1 px-4 pt-4 pb-3 sm:px-6">
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3 lg:flex-nowrap">
        <div className="flex min-w-0 flex-1 basis-72 items-start gap-2.5">
          <span className="flex flex-wrap gap-1 pt-0.5">
            <StatusBadge status={status} />
            <RunVerdict />
          </span>
          <QueryText />
        </div>
        <div data-tour="actions" className="flex flex-wrap items-center gap-1.5">
          {actions}
        </div>
      </div>
      <RunProgress />
      <RunFacts />
      <RunSettings />
    </header>
  )
}

/** Right or wrong, where somebody judged it. */
function RunVerdict() {
  const seen = useRun((state) => state.attempt?.verdict ?? null)
  const stored = useRun((state) => state.view.detail?.correct ?? null)
  const correct = seen?.correct ?? stored
  if (correct === null) return null
  return <VerdictBadge correct={correct} title={seen?.explanation ?? ''} />
}

/** Long questions are cut to two lines until asked for. */
function QueryText() {
  const query = useRun((state) => state.view.detail?.query ?? state.attempt?.start?.query ?? '')
  const [whole, setWhole] = useState(false)
  return (
    <div data-tour="question" className="flex min-w-0 flex-col items-start gap-1">
      <h1
        className={cx(
          'text-lg leading-6 font-semibold tracking-tight whitespace-pre-wrap',
          whole ? 'max-h-[40dvh] overflow-auto' : 'line-clamp-2',
        )}
      >
        {query || text.title}
      </h1>
      {query.length > LONG_QUERY ? (
        <Button variant="quiet" size="sm" className="-ml-2" onPress={() => setWhole(!whole)}>
          {whole ? text.less : text.whole}
        </Button>
      ) : null}
    </div>
  )
}
