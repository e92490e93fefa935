import { DataTable } from '@/components/data-table'
import { Notice } from '@/components/notice'
import { formatCount, shorten, textOr, UNKNOWN } from '@/lib/format'

import { text } from '@/strings/datasets'
import type { TaskImport } from './use-import'

const { importing, tasks } = text

/** What an import would do, or did: counts, rows that cannot be read and why, the first tasks. */
export function ImportReport({ report }: Readonly<{ report: TaskImport }>) {
  const { rows, imported, unchanged, removed, skipped, skipped_count, preview } = report
  return (
    <>
      <p className="font-medium">
        {importing.outcome(
          rows,
          formatCount(imported),
          formatCount(unchanged),
          formatCount(removed),
        )}
      </p>
      {skipped_count > 0 ? (
        <Notice tone="warn" title={importing.skippedTitle(skipped_count)}>
          <ul className="mt-1 max-h-48 overflow-auto text-xs">
            {skipped.map(({ row, reason }) => (
              <li key={row} className="grid grid-cols-[4.5rem_1fr] gap-2 py-0.5">
                <span className="text-ink-2">
                  {importing.skippedRow} {formatCount(row)}
                </span>
                <span>{reason}</span>
              </li>
            ))}
          </ul>
          {skipped_count > skipped.length
            ? importing.skippedMore(formatCount(skipped.length))
            : null}
        </Notice>
      ) : null}
      {preview.length > 0 ? (
        <div className="overflow-hidden rounded-lg border border-line">
          <p className="border-b border-line px-4 py-2 text-xs font-semibold">
            {importing.preview}
          </p>
          <DataTable
            label={importing.preview}
            rows={preview}
            keyOf={({ split, index }) => `${split}/${index}`}
            columns={[
              {
                key: 'query',
                head: tasks.columns.query,
                isRowHead: true,
                className: 'min-w-56 font-normal',
                render: ({ query }) => (
                  <span className="line-clamp-2 font-normal">{shorten(query, 200)}</span>
                ),
              },
              {
                key: 'reference',
                head: tasks.columns.reference,
                className: 'min-w-24',
                render: ({ reference }) => (reference ? shorten(reference, 80) : UNKNOWN),
              },
              {
                key: 'verifier',
                head: tasks.columns.verifier,
                render: ({ verifier }) => textOr(verifier, tasks.none),
              },
            ]}
          />
        </div>
      ) : null}
    </>
  )
}
