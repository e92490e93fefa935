import { useEffect } from 'react'
import { useParams } from 'react-router'

import { ErrorPanel } from '@/components/error-panel'
import { RunContext, useRun } from '@/components/run/run-context'
import { text } from '@/components/run/run-strings'
import { useRunStream } from '@/components/run/use-run-stream'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { shorten } from '@/lib/format'
import { useTitle } from '@/lib/use-title'
import { useWide } from '@/lib/use-wide'

import { AnswerCard } from './answer-card'
import { RunHeader } from './run-header'
import { RunNotes } from './run-notes'
import { RunNotices } from './run-notices'
import { RunStacked } from './run-stacked'
import { RunWide } from './run-wide'

const TITLE_CHARS = 60

/** One run: how its team was built, what each agent did, and the answer. */
export function RunPage() {
  const { id = '' } = useParams()
  return <RunOf key={id} id={id} />
}

function RunOf({ id }: Readonly<{ id: string }>) {
  const { store, problem } = useRunStream(id)
  return (
    <RunContext value={store}>
      <RunBody problem={problem} />
    </RunContext>
  )
}

function RunBody({ problem }: Readonly<{ problem: Error | null }>) {
  const isKnown = useRun(({ view }) => view.detail !== null || view.attempts.length > 0)
  const query = useRun((state) => state.view.detail?.query ?? state.attempt?.start?.query ?? '')
  const setNarrow = useRun((state) => state.setNarrow)
  const wide = useWide()
  useTitle(query ? shorten(query, TITLE_CHARS) : text.title)
  useEffect(() => setNarrow(!wide), [setNarrow, wide])

  if (!isKnown && problem)
    return (
      <div className="mx-auto w-full max-w-xl p-6">
        <ErrorPanel problem={toApiError(problem)} />
      </div>
    )
  if (!isKnown) return <WorkingBlock />
  return (
    <div className="flex flex-1 flex-col lg:min-h-[38rem] lg:basis-0">
      <RunHeader />
      <div className="flex flex-col gap-2 px-4 pt-3 empty:hidden sm:px-6">
        <RunNotices />
        <AnswerCard />
        <RunNotes />
      </div>
      {wide ? <RunWide /> : <RunStacked />}
    </div>
  )
}
