import { Ban, RotateCw } from 'lucide-react'
import { useRef } from 'react'
import { Link } from 'react-router'

import { StatusBadge } from '@/components/badge'
import { Cell, MadeCell, NumberCell } from '@/components/cells'
import { Checkbox } from '@/components/checkbox'
import { cx } from '@/components/cx'
import { NoteBadges, type Note } from '@/components/note-badges'
import { TipButton } from '@/components/tooltip'
import { VerdictBadge } from '@/components/verdict-badge'
import { isEnded } from '@/graph/run-view'
import { useMe, useMethodName, type RunSummary } from '@/lib/api/queries'
import { UNKNOWN, formatCost, formatCount, formatSeconds, shorten, totalTokens } from '@/lib/format'
import { strings } from '@/strings/studio'

import type { Selection } from './selection'
import { useRunActions } from './use-runs'

const { columns } = strings.runs

interface Props {
  run: RunSummary
  selection: Selection
}

export function RunRow({ run, selection }: Readonly<Props>) {
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
      <MadeCell row={run} />
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
    <TipButton
      label={label}
      placement="left"
      variant="quiet"
      isPending={cancel.isPending || retry.isPending}
      onPress={() => (active ? cancel : retry).mutate(run.id)}
      icon={active ? <Ban size={14} aria-hidden /> : <RotateCw size={14} aria-hidden />}
    />
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

const { team } = strings.runs

/** What the count of agents leaves open: a summary agent that it leaves out, or agents that it counts once
 * in every round. null: nothing. A run is stored with all of its method's settings. */
function teamNote(run: RunSummary): string | null {
  const { method, method_config: settings, agent_count: count } = run
  if (!count) return null
  if (settings.final_answer === 'summary' || settings.summary === true) return team.summary
  const rounds = method === 'debate' ? Number(settings.rounds) : 1
  return rounds > 1 ? team.rounds(rounds) : null
}

const words = strings.notes
/** Of one run; the rest are counted. */
const SHOWN = 2

/** What people noted, with who did: named on a phone, where nothing can be hovered. */
function RowNotes({ notes }: Readonly<{ notes: readonly Note[] }>) {
  if (notes.length === 0) return null
  const rest = notes.slice(SHOWN)
  return (
    <ul
      aria-label={words.title}
      className="relative z-10 flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-3 lg:flex-nowrap"
    >
      {notes.slice(0, SHOWN).map((note) => (
        <li key={note.author} className="flex min-w-0 items-center gap-1" title={told(note)}>
          <NoteBadges note={note} isShort />
          <span className="lg:sr-only">{words.by(note.author)}</span>
        </li>
      ))}
      {rest.length > 0 ? (
        <li title={rest.map(told).join('\n')} className="whitespace-nowrap">
          {words.more(rest.length)}
        </li>
      ) : null}
    </ul>
  )
}

function told({ author, score, label, comment }: Note): string {
  const parts = [score === null ? '' : words.scoreOf(score), label, comment]
  return `${author}: ${parts.filter(Boolean).join(', ')}`
}

/** One grid for head and rows: a card up to `lg`, ten columns from there. */
export const COLUMNS =
  'lg:grid lg:grid-cols-[1.25rem_6.25rem_minmax(12rem,1.9fr)_minmax(7rem,1fr)_4.5rem_3.75rem_4.5rem_5rem_5.75rem_1.75rem] lg:gap-x-4'

export const headerClass =
  'hidden items-center border-b border-line bg-surface-0 px-4 py-2 text-xs font-medium text-ink-3'
