import { useParams } from 'react-router'

import { ErrorPanel } from '@/components/error-panel'
import { RunContext, useRun } from '@/components/run/run-context'
import { useRunStream } from '@/components/run/use-run-stream'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'

import { RunActions } from './run-actions'
import { RunBody } from './run-body'
import { useTour } from './tour/use-tour'

/** One run: how its team was built, what each agent did, and the answer. */
export function RunPage() {
  const { id = '' } = useParams()
  return <RunOf key={id} id={id} />
}

function RunOf({ id }: Readonly<{ id: string }>) {
  const { store, problem } = useRunStream(id)
  return (
    <RunContext value={store}>
      <WhenKnown problem={problem} />
    </RunContext>
  )
}

function Known() {
  const { tour } = useTour()
  return (
    <>
      <RunBody actions={<RunActions />} />
      {tour}
    </>
  )
}

function WhenKnown({ problem }: Readonly<{ problem: Error | null }>) {
  const isKnown = useRun(({ view }) => view.detail !== null || view.attempts.length > 0)
  if (isKnown) return <Known />
  if (!problem) return <WorkingBlock />
  return (
    <div className="mx-auto w-full max-w-xl p-6">
      <ErrorPanel problem={toApiError(problem)} />
    </div>
  )
}
