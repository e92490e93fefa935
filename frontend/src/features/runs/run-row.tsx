import { Ban, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { StatusBadge } from '@/components/badge'
import { Button } from '@/components/button'
import { cx } from '@/components/cx'
import { Tooltip } from '@/components/tooltip'
import { useMe, type RunSummary } from '@/lib/api/queries'
import {
  formatAgo,
  formatCompact,
  formatCost,
  formatCount,
  formatDateTime,
  formatSeconds,
  shorten,
  totalTokens,
  UNKNOWN,
} from '@/lib/format'
import { strings } from '@/lib/strings'
import { useNow } from '@/lib/use-now'

import { COLUMNS } from './row-layout'
import { useRunActions } from './use-runs'

const { columns } = strings.runs

export function RunRow({ run }: Readonly<{ run: RunSummary }>) {
  const now = useNow()
  const tokens = totalTokens(run.usage)
  return (
    <div
      className={cx(
        'relative flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2.5 hover:bg-surface-2',
        'has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-accent lg:flex-none',
        COLUMNS,
      )}
    >
      <Cell className="order-1">
        <StatusBadge status={run.status} />
      </Cell>
      <Cell className="order-3 w-full lg:order-none lg:w-auto">
        <Link
          to={`/runs/${run.id}`}
          className="line-clamp-2 font-medium outline-none after:absolute after:inset-0 lg:line-clamp-1 lg:font-normal"
        >
          {shorten(run.query, 200)}
        </Link>
      </Cell>
      <Cell className="order-2 truncate text-ink-2 lg:order-none">{run.method}</Cell>
      <Cell className="order-4 w-full truncate lg:order-none lg:w-auto">
        <Answer run={run} />
      </Cell>
      <NumberCell label={columns.agents}>{formatCount(run.agent_count)}</NumberCell>
      <NumberCell label={columns.tokens} title={formatCount(tokens)}>
        {formatCompact(tokens)}
      </NumberCell>
      <NumberCell label={columns.cost}>{formatCost(run.usage.cost)}</NumberCell>
      <NumberCell label={columns.seconds}>{formatSeconds(run.seconds)}</NumberCell>
      <Cell className="order-6 text-xs text-ink-2 lg:order-none lg:text-sm">
        <time dateTime={run.created_at} title={formatDateTime(run.created_at)}>
          {formatAgo(run.created_at, now)}
        </time>
      </Cell>
      <Cell className="order-7 truncate text-xs text-ink-2 lg:order-none lg:text-sm">
        {run.created_by ?? UNKNOWN}
      </Cell>
      <Cell className="absolute top-1.5 right-2 z-10 lg:static lg:-my-1">
        <RowAction run={run} />
      </Cell>
    </div>
  )
}

interface CellProps {
  children: ReactNode
  className?: string
  title?: string
}

function Cell({ children, className, title }: Readonly<CellProps>) {
  return (
    <div role="cell" title={title} className={cx('min-w-0', className)}>
      {children}
    </div>
  )
}

function NumberCell({ label, title, children }: Readonly<CellProps & { label: string }>) {
  return (
    <Cell
      title={title ?? ''}
      className="order-5 text-xs text-ink-2 lg:order-none lg:text-right lg:text-sm lg:text-ink"
    >
      <span className="text-ink-3 lg:hidden">{label} </span>
      {children}
    </Cell>
  )
}

function Answer({ run }: Readonly<{ run: RunSummary }>) {
  if (run.failure) return <span className="text-bad">{run.failure.message}</span>
  if (run.status === 'running' && run.attempt > 1)
    return <span className="text-ink-3">{strings.runs.attempt(run.attempt, run.max_attempts)}</span>
  return run.answer === null ? (
    <span className="text-ink-3">{UNKNOWN}</span>
  ) : (
    shorten(run.answer, 160)
  )
}

function RowAction({ run }: Readonly<{ run: RunSummary }>) {
  const { cancel, retry } = useRunActions()
  const me = useMe()
  if (!me?.permissions.run) return null
  const active = run.status === 'queued' || run.status === 'running'
  if (active && run.created_by !== me.username && !me.permissions.admin) return null
  const label = active ? strings.runs.cancel : strings.runs.retry
  return (
    <Tooltip content={label} placement="left">
      <Button
        variant="quiet"
        size="sm"
        aria-label={label}
        isPending={cancel.isPending || retry.isPending}
        onPress={() => (active ? cancel : retry).mutate(run.id)}
        icon={active ? <Ban size={14} aria-hidden /> : <RotateCw size={14} aria-hidden />}
      />
    </Tooltip>
  )
}
