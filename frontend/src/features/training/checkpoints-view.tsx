import { queryOptions, useQuery } from '@tanstack/react-query'
import { GitCompareArrows, Weight } from 'lucide-react'
import { useState } from 'react'

import { Button } from '@/components/button'
import { EmptyState } from '@/components/empty-state'
import { ErrorPanel } from '@/components/error-panel'
import { WorkingBlock } from '@/components/working'
import { checkpointsQuery, type Checkpoint } from '@/lib/api/checkpoints'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'

import { CheckpointTable } from './checkpoint-table'
import { CompareDialog } from './compare-dialog'
import { text } from './training-strings'
import type { Training } from './use-training'

const { checkpoints: words } = text
const SHOWN = 200

/** Their names are in the key: the list is asked for again as soon as the job names others. */
const jobCheckpoints = ({ id, checkpoints }: Training) =>
  queryOptions({
    queryKey: ['checkpoints', 'job', id, checkpoints],
    queryFn: () =>
      unwrap(
        api.GET('/api/checkpoints', { params: { query: { job: id, page_size: SHOWN } } }),
      ).then((page) => page.results),
    placeholderData: (before: Checkpoint[] | undefined) => before,
  })

export function JobCheckpoints({ job }: Readonly<{ job: Training }>) {
  const found = useQuery(jobCheckpoints(job))
  return <Checkpoints found={found} empty={words.empty} withJob={false} />
}

export function AllCheckpoints() {
  const found = useQuery(checkpointsQuery(null))
  return <Checkpoints found={found} empty={words.emptyAll} withJob />
}

interface Props {
  found: {
    readonly data: Checkpoint[] | undefined
    readonly isPending: boolean
    readonly error: Error | null
    readonly refetch: () => unknown
  }
  empty: string
  withJob: boolean
}

function Checkpoints({ found, empty, withJob }: Readonly<Props>) {
  const [marked, setMarked] = useState<readonly string[]>([])
  const [comparing, setComparing] = useState(false)
  const rows = found.data ?? []
  // The older one stands on the left, so that a difference tells what training has changed.
  const [left, right] = rows
    .filter(({ name }) => marked.includes(name))
    .toSorted((one, other) => one.created_at.localeCompare(other.created_at))
  if (found.isPending) return <WorkingBlock />
  if (found.error)
    return <ErrorPanel problem={toApiError(found.error)} onRetry={() => void found.refetch()} />
  if (rows.length === 0)
    return (
      <div className="rounded-lg border border-line bg-surface-1">
        <EmptyState icon={<Weight size={28} aria-hidden />} title={words.title}>
          {empty}
        </EmptyState>
      </div>
    )
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button
          isDisabled={!left || !right}
          onPress={() => setComparing(true)}
          icon={<GitCompareArrows size={14} aria-hidden />}
        >
          {words.compare}
        </Button>
        <p className="text-xs text-ink-3">{words.compareHint}</p>
      </div>
      <div className="overflow-hidden rounded-lg border border-line bg-surface-1">
        <CheckpointTable
          rows={rows}
          withJob={withJob}
          marked={marked}
          onMark={(name, isMarked) =>
            setMarked(isMarked ? [...marked.slice(-1), name] : marked.filter((one) => one !== name))
          }
        />
      </div>
      {comparing && left && right ? (
        <CompareDialog left={left} right={right} onClose={() => setComparing(false)} />
      ) : null}
    </div>
  )
}
