import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { Badge } from '@/components/badge'
import { Fact } from '@/components/fact'
import { useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'
import { checkpointQuery, type Checkpoint } from '@/lib/api/checkpoints'

const { facts } = text

/** The weights that the run used, with the way to where they come from. Nothing for a method that
 * learns nothing. */
export function CheckpointFact() {
  const stored = useRun(({ view }) => view.detail?.checkpoint ?? null)
  const start = useRun((state) => state.attempt?.start ?? null)
  const known = useQuery({ ...checkpointQuery(stored ?? ''), enabled: stored !== null }).data
  const isUntrained = (start?.trained ?? known?.trained) === false
  // Initial weights go by a name of the worker's, under which nothing is stored.
  const name = stored ?? (isUntrained ? null : (start?.checkpoint ?? null))
  if (name === null && !isUntrained) return null
  return (
    <Fact name={facts.checkpoint} title={name ?? text.untrainedHelp} className="max-sm:col-span-2">
      {name === null ? null : <Origin name={name} checkpoint={known} />}{' '}
      {isUntrained ? <Badge tone="warn">{facts.untrained}</Badge> : null}
    </Fact>
  )
}

interface OriginProps {
  name: string
  /** undefined: it is being asked for, or no longer kept. */
  checkpoint: Checkpoint | undefined
}

function Origin({ name, checkpoint }: Readonly<OriginProps>) {
  if (!checkpoint) return name
  const place = checkpoint.job
    ? `/${checkpoint.job}?tab=checkpoints`
    : `?${new URLSearchParams({ tab: 'checkpoints', find: name }).toString()}`
  return (
    <Link to={`/training${place}`} className="rounded-sm text-accent hover:underline">
      {name}
    </Link>
  )
}
