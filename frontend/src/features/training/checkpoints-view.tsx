import { useInfiniteQuery, type InfiniteData } from '@tanstack/react-query'
import { GitCompareArrows, Weight } from 'lucide-react'
import { useState } from 'react'

import { Button } from '@/components/button'
import { DelayedSearch } from '@/components/delayed-search'
import { EmptyState } from '@/components/empty-state'
import { ErrorPanel } from '@/components/error-panel'
import { WorkingBlock } from '@/components/working'
import { checkpointList, type Checkpoint } from '@/lib/api/checkpoints'
import { toApiError } from '@/lib/api/errors'
import { formatCount } from '@/lib/format'
import { useParam } from '@/lib/use-param'

import { CheckpointTable } from './checkpoint-table'
import { bestOf } from './checkpoint-values'
import { CompareDialog } from './compare-dialog'
import { text } from '@/strings/training'
import type { Training } from './use-training'

const { checkpoints: words } = text
/** Those that a training has left; once it names others, they are asked for again. */
export function JobCheckpoints({ job }: Readonly<{ job: Training }>) {
  const found = useInfiniteQuery(checkpointList({ job: job.id, q: '', names: job.checkpoints }))
  return <Checkpoints found={found} empty={words.empty} withJob={false} />
}

export function AllCheckpoints() {
  const [find, setFind] = useParam('find')
  const q = find ?? ''
  const found = useInfiniteQuery(checkpointList({ job: null, q }))
  return (
    <div className="flex flex-col gap-3">
      <DelayedSearch label={words.search} className="sm:w-64" value={q} onChange={setFind} />
      <Checkpoints found={found} empty={q ? words.noMatch : words.emptyAll} withJob />
    </div>
  )
}

interface Props {
  found: {
    readonly data: InfiniteData<{ readonly results: readonly Checkpoint[] }> | undefined
    readonly isPending: boolean
    readonly error: Error | null
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly refetch: () => unknown
    readonly fetchNextPage: () => unknown
  }
  empty: string
  withJob: boolean
}

function Checkpoints({ found, empty, withJob }: Readonly<Props>) {
  const [marked, setMarked] = useState<readonly string[]>([])
  const [comparing, setComparing] = useState(false)
  const rows = found.data?.pages.flatMap(({ results }) => results) ?? []
  const isWhole = !found.hasNextPage
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
          best={withJob || !isWhole ? null : bestOf(rows)}
          marked={marked}
          onMark={(name, isMarked) =>
            setMarked(isMarked ? [...marked.slice(-1), name] : marked.filter((one) => one !== name))
          }
        />
      </div>
      {isWhole ? null : (
        <footer className="flex items-center justify-between gap-4 text-xs text-ink-3">
          {text.shown(formatCount(rows.length))}
          <Button isPending={found.isFetchingNextPage} onPress={() => void found.fetchNextPage()}>
            {text.more}
          </Button>
        </footer>
      )}
      {comparing && left && right ? (
        <CompareDialog left={left} right={right} onClose={() => setComparing(false)} />
      ) : null}
    </div>
  )
}
