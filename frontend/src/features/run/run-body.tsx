import { useEffect, type ReactNode } from 'react'

import { useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'
import { shorten } from '@/lib/format'
import { useProgressTitle } from '@/lib/use-progress-title'
import { useWide } from '@/lib/use-wide'

import { AnswerCard } from './answer-card'
import { prepareParts } from './parts'
import { RunHeader } from './run-header'
import { RunNotes } from './run-notes'
import { RunNotices } from './run-notices'
import { RunStacked } from './run-stacked'
import { progressOf } from './progress'
import { RunWide } from './run-wide'
import { useReplay } from './use-replay'

const TITLE_CHARS = 60

/** A run that is known: its question, how it stands, its team and their trace. */
export function RunBody({ actions }: Readonly<{ actions: ReactNode }>) {
  const query = useRun((state) => state.view.detail?.query ?? state.attempt?.start?.query ?? '')
  const setNarrow = useRun((state) => state.setNarrow)
  const wide = useWide()
  const goesOn = useRun(({ view }) => progressOf(view))
  useProgressTitle(query ? shorten(query, TITLE_CHARS) : text.title, goesOn)
  useEffect(() => setNarrow(!wide), [setNarrow, wide])
  useEffect(prepareParts, [])
  useReplay()
  return (
    <div className="flex flex-1 flex-col lg:min-h-[38rem] lg:basis-0">
      <RunHeader actions={actions} />
      <div className="flex flex-col gap-2 px-4 pt-3 empty:hidden sm:px-6">
        <RunNotices />
        <AnswerCard />
        <RunNotes />
      </div>
      {wide ? <RunWide /> : <RunStacked />}
    </div>
  )
}
