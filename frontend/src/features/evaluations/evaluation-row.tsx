import { Link } from 'react-router'

import { StatusBadge } from '@/components/badge'
import { Cell } from '@/components/cells'
import { cx } from '@/components/cx'
import { formatAgo, formatCount, formatDateTime, UNKNOWN } from '@/lib/format'
import { useNow } from '@/lib/use-now'

import { BestArm } from './best-arm'
import { text } from '@/strings/evaluations'
import { EvaluationProgress } from './progress'
import { isActive, type EvaluationListed } from './use-evaluations'

const COLUMNS =
  'lg:grid lg:grid-cols-[6.25rem_minmax(12rem,1.5fr)_minmax(10rem,1fr)_minmax(13rem,1.2fr)_6.5rem] lg:gap-x-5'

export function ListHead() {
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
        {[columns.status, columns.name, columns.progress, columns.best, columns.when].map(
          (head) => (
            <span key={head} role="columnheader">
              {head}
            </span>
          ),
        )}
      </div>
    </div>
  )
}

export function EvaluationRow({ evaluation }: Readonly<{ evaluation: EvaluationListed }>) {
  const now = useNow()
  const { id, name, status, dataset, split, task_count, arms, repeats } = evaluation
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
        <StatusBadge status={status} />
      </Cell>
      <Cell className="w-full lg:w-auto">
        <Link
          to={`/evaluations/${id}`}
          title={name}
          className="line-clamp-2 font-medium outline-none after:absolute after:inset-0"
        >
          {name}
        </Link>
        <span className="block text-xs text-ink-3">
          {`${dataset}/${split} · ${text.tasks(task_count, formatCount(task_count))} · ${text.arms(arms.length)}`}
          {repeats > 1 ? ` · ${text.repeats(repeats)}` : ''}
        </span>
      </Cell>
      <Cell className={cx('w-full lg:w-auto', !isActive(evaluation) && 'max-lg:hidden')}>
        <EvaluationProgress evaluation={evaluation} />
      </Cell>
      <Cell className="w-full lg:w-auto">
        <BestArm evaluation={evaluation} />
      </Cell>
      <Cell className="flex gap-x-4 text-xs text-ink-2 lg:block">
        <time
          dateTime={evaluation.created_at}
          title={formatDateTime(evaluation.created_at)}
          className="block lg:text-sm"
        >
          {formatAgo(evaluation.created_at, now)}
        </time>
        <span className="block truncate lg:text-ink-3">{evaluation.created_by ?? UNKNOWN}</span>
      </Cell>
    </div>
  )
}
