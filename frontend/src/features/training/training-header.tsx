import { Ban, Pause, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Fact } from '@/components/fact'
import { FormDialog } from '@/components/form-dialog'
import { Elapsed, JobHeader, SplitLink } from '@/components/jobs/job-header'
import { NumberField } from '@/components/number-field'
import { fieldMessage, toApiError } from '@/lib/api/errors'
import { useMethodName } from '@/lib/api/queries'
import { UNKNOWN, formatCost, formatCount, formatDateTime } from '@/lib/format'
import { strings } from '@/strings/studio'
import { text } from '@/strings/training'

import { JobStatus } from './job-status'
import { TrainingProgress } from './training-progress'
import { useFeedViews } from './use-feeds'
import { hasEnded, isStopping, useJobActions, type Budget, type Training } from './use-training'

const { actions: words, facts } = text

export const TrainingHeader = ({ job }: Readonly<{ job: Training }>) => (
  <JobHeader
    job={job}
    badge={<JobStatus job={job} />}
    own={<OwnerActions job={job} />}
    again={{ to: `/training/new?from=${job.id}`, label: words.again }}
    label={facts.label}
    facts={<Facts job={job} />}
  >
    <TrainingProgress job={job} className="max-w-xl" />
  </JobHeader>
)

function Facts({ job }: Readonly<{ job: Training }>) {
  const methodName = useMethodName()
  return (
    <>
      <Fact name={facts.method}>{methodName(job.method)}</Fact>
      {job.preset ? <Fact name={facts.preset}>{job.preset}</Fact> : null}
      <Fact name={facts.dataset}>
        {job.dataset === null ? UNKNOWN : <SplitLink dataset={job.dataset} split={job.split} />}
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
      <Fact name={facts.from}>
        {job.start_from ?? (job.endpoint === null ? facts.asItIs : facts.fresh)}
      </Fact>
      <Fact name={facts.by} title={formatDateTime(job.created_at)}>
        {job.created_by ?? UNKNOWN}
      </Fact>
      <span aria-hidden className="hidden w-px self-stretch bg-line sm:block" />
      <Fact name={facts.tokens} title={job.endpoint === null ? facts.sampledHelp : ''}>
        {job.budget.max_tokens == null
          ? formatCount(job.tokens)
          : `${formatCount(job.charged_tokens)} / ${formatCount(job.budget.max_tokens)}`}
      </Fact>
      {job.endpoint === null ? null : (
        <Fact name={facts.cost}>
          {job.budget.max_cost == null
            ? formatCost(job.cost)
            : `${formatCost(job.charged_cost)} / ${formatCost(job.budget.max_cost)}`}
        </Fact>
      )}
      <Fact name={facts.time} title={facts.timeHelp}>
        <TimeTaken job={job} />
      </Fact>
    </>
  )
}

/** Until the last step that was done while no worker has it. */
function TimeTaken({ job }: Readonly<{ job: Training }>) {
  const { lastAt } = useFeedViews([job.id]).feeds[0] ?? {}
  const { started_at, finished_at, status } = job
  const isHeld = status === 'running' || status === 'pausing'
  const until = finished_at ?? (isHeld ? null : (lastAt ?? started_at))
  return <Elapsed from={started_at} until={until} />
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
        <Button size="sm" isPending={pause.isPending} onPress={() => pause.mutate()} icon={Pause}>
          {words.pause}
        </Button>
      ) : null}
      {mayResume ? (
        <Button
          size="sm"
          isPending={resume.isPending}
          onPress={() => (needsBudget ? setAsking('resume') : resume.mutate(undefined))}
          icon={Play}
        >
          {words.resume}
        </Button>
      ) : null}
      {hasEnded(job) ? (
        <Button size="sm" variant="danger" onPress={() => setAsking('delete')} icon={Trash2}>
          {words.delete}
        </Button>
      ) : (
        <Button size="sm" variant="danger" onPress={() => setAsking('cancel')} icon={Ban}>
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
          dismiss={words.keep}
          deed={cancel}
          onConfirm={() => cancel.mutate(undefined, { onSuccess: () => setAsking(null) })}
          onClose={() => setAsking(null)}
        />
      ) : null}
      {asking === 'delete' ? (
        <ConfirmDialog
          title={words.deleteTitle(job.name)}
          body={words.deleteBody}
          action={strings.common.delete}
          deed={remove}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(null)}
        />
      ) : null}
    </>
  )
}

const { resume: resumeWords, form } = text

interface Props {
  job: Training
  isPending: boolean
  error: Error | null
  onResume: (budget: Budget) => void
  onClose: () => void
}

/** Asks for the limits of a training whose budget is spent; it begins with those that it had. */
function ResumeDialog({ job, isPending, error, onResume, onClose }: Readonly<Props>) {
  const [budget, setBudget] = useState<Budget>(job.budget)
  const problem = error ? toApiError(error) : null
  const hasField = problem?.fields.some(({ field }) => /^budget(\.|$)/.test(field)) ?? false
  return (
    <FormDialog
      title={resumeWords.title(job.name)}
      onClose={onClose}
      action={text.actions.resume}
      deed={{ isPending, error }}
      showsError={!hasField}
      onSubmit={() => onResume(budget)}
      className="flex flex-col gap-3"
    >
      <p>{resumeWords.body(formatCount(job.charged_tokens), formatCost(job.charged_cost))}</p>
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <NumberField
          label={form.maxTokens}
          value={budget.max_tokens ?? null}
          onChange={(max_tokens) => setBudget({ ...budget, max_tokens })}
          minimum={1}
          integer
          placeholder={text.noLimit}
          error={fieldMessage(problem, 'budget.max_tokens')}
        />
        <NumberField
          label={form.maxCost}
          value={budget.max_cost ?? null}
          onChange={(max_cost) => setBudget({ ...budget, max_cost })}
          minimum={0}
          placeholder={text.noLimit}
          error={fieldMessage(problem, 'budget.max_cost')}
        />
      </div>
      {problem && hasField ? (
        <p role="alert" className="text-xs text-bad">
          {fieldMessage(problem, 'budget') ?? problem.message}
        </p>
      ) : null}
    </FormDialog>
  )
}
