import { Ban, Play, Scale, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { StatusBadge } from '@/components/badge'
import { Button } from '@/components/button'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { ExportMenu } from '@/components/export-menu'
import { Fact } from '@/components/fact'
import { Elapsed, JobHeader, SplitLink } from '@/components/jobs/job-header'
import { UNKNOWN, formatCount, formatDateTime, formatSeconds } from '@/lib/format'
import { text } from '@/strings/evaluations'
import { strings } from '@/strings/studio'

import { EvaluationProgress } from './progress'
import { useArmName } from './use-arm-name'
import { isActive, useEvaluationActions, type Evaluation } from './use-evaluations'

export const EvaluationHeader = ({ evaluation }: Readonly<{ evaluation: Evaluation }>) => (
  <JobHeader
    job={evaluation}
    badge={<StatusBadge status={evaluation.status} />}
    own={<OwnerActions evaluation={evaluation} />}
    again={{ to: `/evaluations/new?from=${evaluation.id}`, label: text.status.again }}
    more={<ExportMenu label={text.export.label} files={filesOf(evaluation.id)} />}
    label={text.facts.label}
    facts={<Facts evaluation={evaluation} />}
  >
    <ArmDifferences evaluation={evaluation} />
    {evaluation.status !== 'succeeded' ? (
      <EvaluationProgress evaluation={evaluation} className="max-w-xl" />
    ) : null}
  </JobHeader>
)

function Facts({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  const { facts } = text
  const { dataset, split, budget } = evaluation
  return (
    <>
      <Fact name={facts.dataset}>
        <SplitLink dataset={dataset} split={split} />
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
        <Elapsed from={evaluation.started_at} until={evaluation.finished_at} />
      </Fact>
    </>
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
          icon={Ban}
        >
          {text.status.cancel}
        </Button>
      ) : null}
      {canResume ? (
        <Button size="sm" isPending={resume.isPending} onPress={() => resume.mutate()} icon={Play}>
          {text.status.resume}
        </Button>
      ) : null}
      {active ? null : (
        <Button size="sm" variant="danger" onPress={() => setAsking(true)} icon={Trash2}>
          {text.status.delete}
        </Button>
      )}
      {asking ? (
        <ConfirmDialog
          title={text.status.deleteTitle(evaluation.name)}
          body={text.status.deleteBody}
          action={strings.common.delete}
          deed={remove}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  )
}

/** The files of an evaluation → their names. */
const filesOf = (id: string): Record<string, string> => {
  const base = `/api/evaluations/${id}/export`
  const { cells, arms } = text.export
  return {
    [`${base}?format=json`]: cells.json,
    [`${base}?format=csv`]: cells.csv,
    [`${base}?format=parquet`]: cells.parquet,
    [`${base}?format=csv&table=arms`]: arms.csv,
    [`${base}?format=parquet&table=arms`]: arms.parquet,
  }
}

const { differences: words } = text

type Arm = Evaluation['arms'][number]
type Difference = Evaluation['differences'][number]

/** In the header: what the arms differ in beside their methods, arm by arm; nothing where that is nothing. */
function ArmDifferences({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  const nameOf = useArmName(evaluation)
  const { arms, differences } = evaluation
  if (differences.length === 0) return null
  return (
    <section aria-label={words.label} className="flex items-start gap-2 text-sm">
      <Scale size={14} aria-hidden className="mt-0.5 shrink-0 text-warn" />
      <div className="min-w-0">
        <p className="font-medium text-warn">
          {words.lead(differences.map((name) => words.names[name]).join(words.and))}
        </p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-3 text-xs">
          {differences.map((name) => (
            <div key={name} className="contents">
              <dt className="text-ink-3">{words.heads[name]}</dt>
              <dd className="min-w-0 break-words">
                {arms.map((arm) => `${nameOf(arm.label)}: ${valueOf(name, arm)}`).join(' · ')}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  )
}

function valueOf(name: Difference, arm: Arm): string {
  if (name === 'limit') return words.tokens(formatCount(arm.reply_tokens))
  if (name === 'endpoint')
    return [`${arm.endpoint} / ${arm.model}`, ...arm.further_endpoints].join(', ')
  if (arm.tools === null) return words.unknown
  return arm.tools.join(', ') || words.noTools
}
