import { AskPage } from '@/features/ask/ask-page'

import { NextSteps } from './next-steps'
import { NowRunning } from './now-running'
import { SampleRun } from './sample-run'

/** A question to ask, what runs now, what to do next, and what was asked before. */
export function HomePage() {
  return (
    <AskPage>
      <NowRunning />
      <SampleRun />
      <NextSteps />
    </AskPage>
  )
}
