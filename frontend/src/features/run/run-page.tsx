import { useParams } from 'react-router'

import { PageProblem } from '@/components/page-problem'
import { RunContext, useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'
import { useRunStream } from '@/components/run/use-run-stream'
import { WorkingBlock } from '@/components/working'
import { FAMILIES } from '@/families/registry'
import { useTitle } from '@/lib/use-title'

import { RunActions } from './run-actions'
import { RunBody } from './run-body'
import { useTour } from './tour/use-tour'

/** One run: how its team was built, what each agent did, and the answer. */
export function RunPage() {
  const { id = '' } = useParams()
  return <RunOf key={id} id={id} />
}

function RunOf({ id }: Readonly<{ id: string }>) {
  const { store, problem, retry } = useRunStream(id, FAMILIES)
  return (
    <RunContext value={store}>
      <WhenKnown problem={problem} retry={retry} />
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

function WhenKnown({ problem, retry }: Readonly<{ problem: Error | null; retry: () => void }>) {
  const isKnown = useRun(({ view }) => view.detail !== null || view.attempts.length > 0)
  if (isKnown) return <Known />
  return problem ? <Unknown problem={problem} retry={retry} /> : <Unread />
}

function Unread() {
  useTitle(text.title)
  return <WorkingBlock />
}

function Unknown({ problem, retry }: Readonly<{ problem: Error; retry: () => void }>) {
  useTitle(text.missing)
  return (
    <PageProblem
      title={text.missing}
      of={{ error: problem, refetch: retry }}
      to="/runs"
      toLabel={text.allRuns}
    />
  )
}
