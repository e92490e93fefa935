import { Ban, Copy, Pause, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Fact } from '@/components/fact'
import { toApiError } from '@/lib/api/errors'
import { useMe, useMethodName } from '@/lib/api/queries'
import { formatCost, formatCount, formatDateTime, formatSeconds, UNKNOWN } from '@/lib/format'
import { strings } from '@/strings/studio'
import { useNow } from '@/lib/use-now'

import { JobProgress } from './job-progress'
import { JobStatus } from './job-status'
import { ResumeDialog } from './resume-dialog'
import { text } from '@/strings/training'
import { useFeedViews } from './use-feeds'
import { hasEnded, isStopping, useJobActions, type Training } from './use-training'

const { actions: words, facts } = text

export function JobHeader({ job }: Readonly<{ job: Training }>) {
  return (
    <header className="flex flex-col gap-3 border-b border-line bg-surface-1 px-4 pt-4 pb-3 sm:px-6">
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3 lg:flex-nowrap">
        <div className="flex min-w-0 flex-1 basis-72 items-start gap-2.5">
          <span className="pt-0.5">
            <JobStatus job={job} />
          </span>
          <h1 className="line-clamp-2 text-lg leading-6 font-semibold tracking-tight">
            {job.name}
          </h1>
        </div>
        <Actions job={job} />
      </div>
      <Facts job={job} />
      <JobProgress job={job} className="max-w-xl" />
    </header>
  )
}

function Facts({ job }: Readonly<{ job: Training }>) {
  const methodName = useMethodName()
  return (
    <dl
      aria-label={facts.label}
      className="grid grid-cols-3 gap-x-3 gap-y-2 sm:flex sm:flex-wrap sm:gap-x-6"
    >
      <Fact name={facts.method}>{methodName(job.method)}</Fact>
      {job.preset ? <Fact name={facts.preset}>{job.preset}</Fact> : null}
      <Fact name={facts.dataset}>
        {job.dataset === null ? (
          UNKNOWN
        ) : (
          <Link
            to={`/datasets/${job.dataset}?split=${job.split}`}
            className="rounded-sm text-accent hover:underline"
          >
            {`${job.dataset}/${job.split}`}
          </Link>
        )}
        {job.limit === null ? '' : `, ${facts.tasks(formatCount(job.limit))}`}
      </Fact>
      <Fact name={facts.model} title={job.model ?? ''}>
        {[job.endpoint, job.model].filter(Boolean).join(' / ') || UNKNOWN}
      </Fact>
      {job.pool === null ? null : (
        <Fact name={facts.pool}>
          {job.pool}
          {job.pool_version === null ? '' : `@${job.pool_version}`}
        </Fact>
      )}
      <Fact name={facts.seed}>{job.seed}</Fact>
      <Fact name={facts.from}>{job.start_from ?? facts.fresh}</Fact>
      <Fact name={facts.by} title={formatDateTime(job.created_at)}>
        {job.created_by ?? UNKNOWN}
      </Fact>
      <span aria-hidden className="hidden w-px self-stretch bg-line sm:block" />
      <Fact name={facts.tokens}>
        {job.budget.max_tokens == null
          ? formatCount(job.tokens)
          : `${formatCount(job.charged_tokens)} / ${formatCount(job.budget.max_tokens)}`}
      </Fact>
      <Fact name={facts.cost}>
        {job.budget.max_cost == null
          ? formatCost(job.cost)
          : `${formatCost(job.charged_cost)} / ${formatCost(job.budget.max_cost)}`}
      </Fact>
      <Fact name={facts.time} title={facts.timeHelp}>
        <Elapsed job={job} />
      </Fact>
    </dl>
  )
}

/** Since it began; it stands still while nobody works on it, at the last step that was done. */
function Elapsed({ job }: Readonly<{ job: Training }>) {
  const now = useNow(1_000)
  const { lastAt } = useFeedViews([job.id]).feeds[0] ?? {}
  const { started_at, finished_at, status } = job
  const isHeld = status === 'running' || status === 'pausing'
  if (!started_at) return UNKNOWN
  const until = finished_at ?? (isHeld ? null : (lastAt ?? started_at))
  const end = until === null ? now : Date.parse(until)
  return formatSeconds(Math.max(0, Math.round((end - Date.parse(started_at)) / 1_000)))
}

function Actions({ job }: Readonly<{ job: Training }>) {
  const me = useMe()
  const isOwner = me?.permissions.run === true && job.created_by === me.username
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {isOwner || me?.permissions.admin ? <OwnerActions job={job} /> : null}
      {me?.permissions.run ? (
        <Link to={`/training/new?from=${job.id}`} className={buttonClass({ size: 'sm' })}>
          <Copy size={14} aria-hidden />
          {words.again}
        </Link>
      ) : null}
    </div>
  )
}

function OwnerActions({ job }: Readonly<{ job: Training }>) {
  const navigate = useNavigate()
  const [asking, setAsking] = useState<'resume' | 'cancel' | 'delete' | null>(null)
  const { pause, resume, cancel, remove } = useJobActions(job.id, () => void navigate('/training'))
  const needsBudget = job.end_reason === 'budget'
  const mayResume = job.status === 'paused' || job.status === 'failed' || needsBudget
  if (isStopping(job)) return null
  return (
    <>
      {job.status === 'running' || job.status === 'queued' ? (
        <Button
          size="sm"
          isPending={pause.isPending}
          onPress={() => pause.mutate()}
          icon={<Pause size={14} aria-hidden />}
        >
          {words.pause}
        </Button>
      ) : null}
      {mayResume ? (
        <Button
          size="sm"
          isPending={resume.isPending}
          onPress={() => (needsBudget ? setAsking('resume') : resume.mutate(undefined))}
          icon={<Play size={14} aria-hidden />}
        >
          {words.resume}
        </Button>
      ) : null}
      {hasEnded(job) ? (
        <Button
          size="sm"
          variant="danger"
          onPress={() => setAsking('delete')}
          icon={<Trash2 size={14} aria-hidden />}
        >
          {words.delete}
        </Button>
      ) : (
        <Button
          size="sm"
          variant="danger"
          onPress={() => setAsking('cancel')}
          icon={<Ban size={14} aria-hidden />}
        >
          {words.cancel}
        </Button>
      )}
      {asking === 'resume' ? (
        <ResumeDialog
          job={job}
          isPending={resume.isPending}
          error={resume.error}
          onResume={(budget) => resume.mutate(budget, { onSuccess: () => setAsking(null) })}
          onClose={() => setAsking(null)}
        />
      ) : null}
      {asking === 'cancel' ? (
        <ConfirmDialog
          title={words.cancelTitle(job.name)}
          body={words.cancelBody}
          action={words.cancel}
          isPending={cancel.isPending}
          problem={cancel.error ? toApiError(cancel.error) : null}
          onConfirm={() => cancel.mutate(undefined, { onSuccess: () => setAsking(null) })}
          onClose={() => setAsking(null)}
        />
      ) : null}
      {asking === 'delete' ? (
        <ConfirmDialog
          title={words.deleteTitle(job.name)}
          body={words.deleteBody}
          action={strings.common.delete}
          isPending={remove.isPending}
          problem={remove.error ? toApiError(remove.error) : null}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(null)}
        />
      ) : null}
    </>
  )
}
