import { Link } from 'react-router'

import { Cell, NumberCell } from '@/components/cells'
import { cx } from '@/components/cx'
import { useMethodName } from '@/lib/api/queries'
import {
  formatAgo,
  formatCompact,
  formatDateTime,
  formatMetric,
  formatShare,
  UNKNOWN,
} from '@/lib/format'
import { useNow } from '@/lib/use-now'

import { JobProgress } from './job-progress'
import { JobStatus } from './job-status'
import { text } from '@/strings/training'
import type { Training } from './use-training'

const COLUMNS =
  'lg:grid lg:grid-cols-[6.25rem_minmax(12rem,1.6fr)_minmax(10rem,1fr)_5rem_5rem_4.5rem_6.5rem] lg:gap-x-5'

export function JobHead() {
  const { columns } = text
  return (
    <div role="rowgroup">
      <div
        role="row"
        className={cx(
          'hidden items-center border-b border-line bg-surface-0 px-4 py-2 text-xs font-medium text-ink-3',
          COLUMNS,
        )}
      >
        {[columns.status, columns.name, columns.progress].map((head) => (
          <span key={head} role="columnheader">
            {head}
          </span>
        ))}
        {[columns.reward, columns.accuracy, columns.tokens].map((head) => (
          <span key={head} role="columnheader" className="text-right">
            {head}
          </span>
        ))}
        <span role="columnheader">{columns.when}</span>
      </div>
    </div>
  )
}

export function JobRow({ job }: Readonly<{ job: Training }>) {
  const now = useNow()
  const methodName = useMethodName()
  return (
    <div
      role="row"
      className={cx(
        'relative flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0 hover:bg-surface-2',
        'has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-accent',
        COLUMNS,
      )}
    >
      <Cell>
        <JobStatus job={job} />
      </Cell>
      <Cell className="w-full lg:w-auto">
        <Link
          to={`/training/${job.id}`}
          className="line-clamp-2 font-medium outline-none after:absolute after:inset-0"
        >
          {job.name}
        </Link>
        <span className="block truncate text-xs text-ink-3">
          {[methodName(job.method), job.preset, `${job.dataset ?? UNKNOWN}/${job.split}`, job.model]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </Cell>
      <Cell className="w-full lg:w-auto">
        <JobProgress job={job} />
      </Cell>
      <NumberCell label={text.columns.reward}>{formatMetric(job.latest.reward)}</NumberCell>
      <NumberCell label={text.columns.accuracy}>{formatShare(job.latest.accuracy)}</NumberCell>
      <NumberCell label={text.columns.tokens}>{formatCompact(job.tokens)}</NumberCell>
      <Cell className="flex gap-x-4 text-xs text-ink-2 lg:block">
        <time
          dateTime={job.created_at}
          title={formatDateTime(job.created_at)}
          className="block lg:text-sm"
        >
          {formatAgo(job.created_at, now)}
        </time>
        <span className="block truncate lg:text-ink-3">{job.created_by ?? UNKNOWN}</span>
      </Cell>
    </div>
  )
}
