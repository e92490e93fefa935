import { Ban, RotateCw } from 'lucide-react'
import { useRef } from 'react'
import { Link } from 'react-router'

import { StatusBadge } from '@/components/badge'
import { Button } from '@/components/button'
import { Cell, NumberCell } from '@/components/cells'
import { Checkbox } from '@/components/checkbox'
import { cx } from '@/components/cx'
import { Tooltip } from '@/components/tooltip'
import { VerdictBadge } from '@/components/verdict-badge'
import { isEnded } from '@/graph/run-view'
import { useMe, useMethodName, type RunSummary } from '@/lib/api/queries'
import {
  formatAgo,
  formatCost,
  formatCount,
  formatDateTime,
  formatSeconds,
  shorten,
  totalTokens,
  UNKNOWN,
} from '@/lib/format'
import { strings } from '@/strings/studio'
import { useNow } from '@/lib/use-now'

import { COLUMNS } from './row-layout'
import { RowNotes } from './row-notes'
import type { Selection } from './selection'
import { teamNote } from './team-note'
import { useRunActions } from './use-runs'

const { columns } = strings.runs

interface Props {
  run: RunSummary
  selection: Selection
}

export function RunRow({ run, selection }: Readonly<Props>) {
  const now = useNow()
  const methodName = useMethodName()
  const tokens = totalTokens(run.usage)
  return (
    <div
      className={cx(
        'relative flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2.5 hover:bg-surface-2',
        'has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-accent lg:flex-none',
        COLUMNS,
      )}
    >
      <Cell className="relative z-10">
        <Choice run={run} selection={selection} />
      </Cell>
      <Cell>
        <StatusBadge status={run.status} />
      </Cell>
      <Cell className="w-full lg:w-auto">
        <Link
          to={`/runs/${run.id}`}
          className="line-clamp-2 font-medium outline-none after:absolute after:inset-0 lg:line-clamp-1 lg:break-all"
        >
          {shorten(run.query, 200)}
        </Link>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 lg:flex-nowrap">
          <span className="truncate text-xs text-ink-3">{methodName(run.method)}</span>
          <RowNotes notes={run.annotations} />
        </span>
      </Cell>
      <Cell className={cx('w-full lg:w-auto', isEmpty(run) && 'max-lg:hidden')}>
        <Answer run={run} />
      </Cell>
      <NumberCell label={columns.agents} note={teamNote(run)} help={strings.runs.team.help}>
        {formatCount(run.agent_count)}
      </NumberCell>
      <NumberCell label={columns.tokens}>{formatCount(tokens)}</NumberCell>
      <NumberCell label={columns.cost}>{formatCost(run.usage.cost)}</NumberCell>
      <NumberCell label={columns.seconds}>{formatSeconds(run.seconds)}</NumberCell>
      <Cell className="flex gap-x-4 text-xs text-ink-2 lg:block">
        <time
          dateTime={run.created_at}
          title={formatDateTime(run.created_at)}
          className="block lg:text-sm"
        >
          {formatAgo(run.created_at, now)}
        </time>
        <span className="block truncate lg:text-ink-3">{run.created_by ?? UNKNOWN}</span>
      </Cell>
      <Cell className="absolute top-1.5 right-2 z-10 lg:static">
        <RowAction run={run} />
      </Cell>
    </div>
  )
}

/** Nothing is said of an answer: on a phone its line is left out. */
const isEmpty = ({ answer, failure, status }: RunSummary): boolean =>
  answer === null && !failure && status !== 'succeeded'

function Answer({ run }: Readonly<{ run: RunSummary }>) {
  if (run.failure) return <span className="line-clamp-2 text-bad">{run.failure.message}</span>
  if (run.status === 'running' && run.attempt > 1)
    return <span className="text-ink-3">{strings.runs.attempt(run.attempt, run.max_attempts)}</span>
  if (run.answer === null && run.status !== 'succeeded')
    return <span className="text-ink-3">{UNKNOWN}</span>
  return (
    <span className="flex flex-col items-start">
      {run.answer === null ? (
        <span className="text-ink-3">{strings.runs.noAnswer}</span>
      ) : (
        <span className="line-clamp-2">{shorten(run.answer, 160)}</span>
      )}
      <span className="flex items-center gap-2">
        {run.correct === null ? null : <VerdictBadge plain correct={run.correct} />}
        {run.final_cut ? (
          <span className="text-xs text-warn" title={strings.runs.cutHelp}>
            {strings.runs.cut}
          </span>
        ) : null}
      </span>
    </span>
  )
}

function RowAction({ run }: Readonly<{ run: RunSummary }>) {
  const { cancel, retry } = useRunActions()
  const me = useMe()
  if (!me?.permissions.run) return null
  const active = !isEnded(run.status)
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

/** With Shift it is every row since the one that was touched before. */
function Choice({ run, selection }: Readonly<Props>) {
  const through = useRef(false)
  return (
    <span
      role="presentation"
      onPointerDownCapture={(event) => (through.current = event.shiftKey)}
      onKeyDownCapture={(event) => (through.current = event.shiftKey)}
    >
      <Checkbox
        isSelected={selection.has(run.id)}
        onChange={(chosen) => selection.toggle(run.id, chosen, through.current)}
        className="-m-2 p-2"
      >
        <span className="sr-only">{strings.runs.bulk.one(shorten(run.query, 60))}</span>
      </Checkbox>
    </span>
  )
}
