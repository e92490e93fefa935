import { DataTable } from '@/components/data-table'
import type { Checkpoint } from '@/lib/api/checkpoints'
import { sortOf, sortText } from '@/lib/sorting'
import { useNow } from '@/lib/use-now'
import { useParam } from '@/lib/use-param'

import { checkpointColumns } from './checkpoint-columns'
import { metricsOf } from './checkpoint-values'
import { text } from '@/strings/training'

interface Props {
  rows: readonly Checkpoint[]
  withJob: boolean
  /** The name of the best of them; null: not known. */
  best: string | null
  /** Names marked for comparison, two at most. */
  marked: readonly string[]
  onMark: (name: string, isMarked: boolean) => void
}

export function CheckpointTable({ rows, withJob, best, marked, onMark }: Readonly<Props>) {
  const [sort, setSort] = useParam('order')
  const now = useNow()
  const hasHeldOut = rows.some((row) => 'held_out_reward' in metricsOf(row))
  const columns = checkpointColumns({ now, marked, onMark, best, hasHeldOut })
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
