import { FileUp } from 'lucide-react'
import { DropZone, FileTrigger } from 'react-aria-components'

import { Button } from '@/components/button'
import { cx } from '@/components/cx'
import { formatBytes } from '@/lib/format'

import { text } from '@/strings/datasets'
import { columnsOf, type FileColumn } from './file-columns'

const { importing } = text
const ENDINGS = ['.jsonl', '.ndjson', '.json', '.csv', '.parquet']
const START_BYTES = 256 * 1024

interface Props {
  file: File | null
  onChoose: (file: File, columns: FileColumn[] | null) => void
  error: string | undefined
}

/** A file chosen or dropped; its first line tells the columns. */
export function FilePicker({ file, onChoose, error }: Readonly<Props>) {
  const take = async (chosen: File): Promise<void> => {
    const start = await chosen.slice(0, START_BYTES).text()
    onChoose(chosen, columnsOf(chosen.name, start)?.map((name) => ({ name })) ?? null)
  }
  return (
    <DropZone
      aria-label={importing.dropHere}
      onDrop={({ items }) => {
        const dropped = items.find((item) => item.kind === 'file')
        if (dropped) void dropped.getFile().then(take)
      }}
      className={({ isDropTarget }) =>
        cx(
          'flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-dashed px-4 py-4',
          isDropTarget ? 'border-accent bg-accent-soft' : 'border-line-strong',
          error && 'border-bad',
        )
      }
    >
      <FileTrigger
        acceptedFileTypes={ENDINGS}
        onSelect={(files) => {
          const [chosen] = files ?? []
          if (chosen) void take(chosen)
        }}
      >
        <Button icon={FileUp}>{importing.choose}</Button>
      </FileTrigger>
      <span className={cx('min-w-0 flex-1', file ? 'font-medium' : 'text-ink-3')}>
        {file ? importing.chosen(file.name, formatBytes(file.size)) : importing.drop}
      </span>
      {error ? <span className="w-full text-xs font-medium text-bad">{error}</span> : null}
    </DropZone>
  )
}
