import {
  useInfiniteQuery,
  type InfiniteData,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query'
import { GitCompareArrows, Weight } from 'lucide-react'
import { useState } from 'react'

import { Button } from '@/components/button'
import { DataTable } from '@/components/data-table'
import { DelayedSearch } from '@/components/delayed-search'
import { EmptyState } from '@/components/empty-state'
import { QueryError } from '@/components/query-state'
import { WorkingBlock } from '@/components/working'
import { checkpointList, type Checkpoint } from '@/lib/api/checkpoints'
import { formatCount } from '@/lib/format'
import { sortOf, sortText } from '@/lib/sorting'
import { useParam } from '@/lib/use-param'
import { text } from '@/strings/training'

import { checkpointColumns } from './checkpoint-columns'
import { bestOf, metricsOf } from './checkpoint-values'
import { CompareDialog } from './compare-dialog'
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
  found: UseInfiniteQueryResult<InfiniteData<{ readonly results: readonly Checkpoint[] }>>
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
  if (found.error) return <QueryError of={found} />
  if (rows.length === 0)
    return (
      <div className="rounded-lg border border-line bg-surface-1">
        <EmptyState icon={Weight} title={words.title}>
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
          icon={GitCompareArrows}
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

interface CheckpointTableProps {
  rows: readonly Checkpoint[]
  withJob: boolean
  /** The name of the best of them; null: not known. */
  best: string | null
  /** Names marked for comparison, two at most. */
  marked: readonly string[]
  onMark: (name: string, isMarked: boolean) => void
}

function CheckpointTable({ rows, withJob, best, marked, onMark }: Readonly<CheckpointTableProps>) {
  const [sort, setSort] = useParam('order')
  const hasHeldOut = rows.some((row) => 'held_out_reward' in metricsOf(row))
  const columns = checkpointColumns({ marked, onMark, best, hasHeldOut })
  return (
    <DataTable
      label={text.checkpoints.label}
      rows={rows}
      keyOf={({ name }) => name}
      columns={withJob ? columns : columns.filter(({ key }) => key !== 'job')}
      sort={sortOf(sort ?? '-when')}
      onSort={(next) => setSort(sortText(next))}
    />
  )
}
