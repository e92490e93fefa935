import { Ban, Copy, Download, Play, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { Link, useNavigate } from 'react-router'

import { StatusBadge } from '@/components/badge'
import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Fact } from '@/components/fact'
import { toApiError } from '@/lib/api/errors'
import { useMe } from '@/lib/api/queries'
import { formatCount, formatDateTime, formatSeconds, UNKNOWN } from '@/lib/format'
import { strings } from '@/strings/studio'
import { useNow } from '@/lib/use-now'

import { text } from '@/strings/evaluations'
import { ArmDifferences } from './arm-differences'
import { EvaluationProgress } from './progress'
import { isActive, useEvaluationActions, type Evaluation } from './use-evaluations'

export function EvaluationHeader({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  return (
    <header className="flex flex-col gap-3 border-b border-line bg-surface-1 px-4 pt-4 pb-3 sm:px-6">
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3 lg:flex-nowrap">
        <div className="flex min-w-0 flex-1 basis-72 items-start gap-2.5">
          <span className="pt-0.5">
            <StatusBadge status={evaluation.status} />
          </span>
          <h1
            title={evaluation.name}
            className="line-clamp-2 text-lg leading-6 font-semibold tracking-tight break-words"
          >
            {evaluation.name}
          </h1>
        </div>
        <Actions evaluation={evaluation} />
      </div>
      <Facts evaluation={evaluation} />
      <ArmDifferences evaluation={evaluation} />
      {evaluation.status !== 'succeeded' ? (
        <EvaluationProgress evaluation={evaluation} className="max-w-xl" />
      ) : null}
    </header>
  )
}

function Facts({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  const { facts } = text
  const { dataset, split, budget } = evaluation
  return (
    <dl
      aria-label={facts.label}
      className="grid grid-cols-3 gap-x-3 gap-y-2 sm:flex sm:flex-wrap sm:gap-x-6"
    >
      <Fact name={facts.dataset}>
        <Link
          to={`/datasets/${dataset}?split=${split}`}
          className="rounded-sm text-accent hover:underline"
        >
          {`${dataset}/${split}`}
        </Link>
      </Fact>
      <Fact name={facts.tasks}>{formatCount(evaluation.task_count)}</Fact>
      <Fact name={facts.repeats}>{formatCount(evaluation.repeats)}</Fact>
      <Fact name={facts.seed}>{evaluation.seed}</Fact>
      <Fact name={facts.concurrency}>{formatCount(evaluation.concurrency)}</Fact>
      <Fact name={facts.budget}>{formatCount(budget.max_tokens)}</Fact>
      <Fact name={facts.seconds}>{formatSeconds(budget.max_seconds)}</Fact>
      <Fact name={facts.by} title={formatDateTime(evaluation.created_at)}>
        {evaluation.created_by ?? UNKNOWN}
      </Fact>
      <Fact name={facts.time}>
        <Elapsed evaluation={evaluation} />
      </Fact>
    </dl>
  )
}

function Elapsed({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  const now = useNow(1_000)
  const { started_at, finished_at } = evaluation
  if (!started_at) return UNKNOWN
  const end = finished_at ? Date.parse(finished_at) : now
  return formatSeconds(Math.max(0, Math.round((end - Date.parse(started_at)) / 1_000)))
}

function Actions({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  const me = useMe()
  const mayWrite =
    me?.permissions.admin === true ||
    (me?.permissions.run === true && evaluation.created_by === me.username)
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {mayWrite ? <OwnerActions evaluation={evaluation} /> : null}
      {me?.permissions.run ? (
        <Link to={`/evaluations/new?from=${evaluation.id}`} className={buttonClass({ size: 'sm' })}>
          <Copy size={14} aria-hidden />
          {text.status.again}
        </Link>
      ) : null}
      <ExportMenu id={evaluation.id} />
    </div>
  )
}

function OwnerActions({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const { cancel, resume, remove } = useEvaluationActions(
    evaluation.id,
    () => void navigate('/evaluations'),
  )
  const active = isActive(evaluation)
  const lacksAnswers = evaluation.warnings.some(({ code }) => code === 'unanswered')
  const canResume = !active && (evaluation.status !== 'succeeded' || lacksAnswers)
  return (
    <>
      {active ? (
        <Button
          variant="danger"
          size="sm"
          isPending={cancel.isPending}
          onPress={() => cancel.mutate()}
          icon={<Ban size={14} aria-hidden />}
        >
          {text.status.cancel}
        </Button>
      ) : null}
      {canResume ? (
        <Button
          size="sm"
          isPending={resume.isPending}
          onPress={() => resume.mutate()}
          icon={<Play size={14} aria-hidden />}
        >
          {text.status.resume}
        </Button>
      ) : null}
      {active ? null : (
        <Button
          size="sm"
          variant="danger"
          onPress={() => setAsking(true)}
          icon={<Trash2 size={14} aria-hidden />}
        >
          {text.status.delete}
        </Button>
      )}
      {asking ? (
        <ConfirmDialog
          title={text.status.deleteTitle(evaluation.name)}
          body={text.status.deleteBody}
          action={strings.common.delete}
          isPending={remove.isPending}
          problem={remove.error ? toApiError(remove.error) : null}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  )
}

/** Links, so that the browser saves the file; the session's cookie goes with them. */
function ExportMenu({ id }: Readonly<{ id: string }>) {
  const base = `/api/evaluations/${id}/export`
  const { cells, arms } = text.export
  return (
    <MenuTrigger>
      <AriaButton className={buttonClass({ size: 'sm' })}>
        <Download size={14} aria-hidden />
        {text.export.label}
      </AriaButton>
      <Popover
        placement="bottom end"
        className="w-56 rounded-lg border border-line bg-surface-1 p-1 shadow-float"
      >
        <Menu aria-label={text.export.label} className="outline-none">
          <FileItem href={`${base}?format=json`}>{cells.json}</FileItem>
          <FileItem href={`${base}?format=csv`}>{cells.csv}</FileItem>
          <FileItem href={`${base}?format=parquet`}>{cells.parquet}</FileItem>
          <FileItem href={`${base}?format=csv&table=arms`}>{arms.csv}</FileItem>
          <FileItem href={`${base}?format=parquet&table=arms`}>{arms.parquet}</FileItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}

function FileItem({ href, children }: Readonly<{ href: string; children: ReactNode }>) {
  return (
    <MenuItem
      href={href}
      download
      className="flex h-8 cursor-default items-center rounded-md px-2 text-sm text-ink no-underline outline-none data-[focused]:bg-surface-2"
    >
      {children}
    </MenuItem>
  )
}
