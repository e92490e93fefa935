import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, ChevronLeft, ChevronRight } from 'lucide-react'
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router'

import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { ErrorPanel } from '@/components/error-panel'
import { Notice } from '@/components/notice'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { useSetParams } from '@/lib/use-param'

import { CompareTrace } from './compare-trace'
import { text } from '@/strings/evaluations'
import { isFromRows, taskSearch } from './task-place'
import { useArmName } from './use-arm-name'
import { comparedTask, type Compared, type ComparedPlace, type Evaluation } from './use-evaluations'

const { compare: words, answers } = text

interface Props {
  evaluation: Evaluation
  place: ComparedPlace
}

/** One task: the traces of both arms beside each other, on a phone one below the other. */
export function CompareTask({ evaluation, place }: Readonly<Props>) {
  const found = useQuery(comparedTask(evaluation.id, place))
  return (
    <section className="flex flex-col gap-3">
      <Ways place={place} last={evaluation.task_count - 1} />
      {found.isPending ? <WorkingBlock /> : null}
      {found.isError ? (
        <ErrorPanel problem={toApiError(found.error)} onRetry={() => void found.refetch()} />
      ) : null}
      {found.data === null ? (
        <Notice tone="warn" title={words.notBoth}>
          {words.notBothHelp}
        </Notice>
      ) : null}
      {found.data ? <Both evaluation={evaluation} row={found.data} /> : null}
    </section>
  )
}

/** Back to the rows at the place one came from, and on to the neighbours. */
function Ways({ place, last }: Readonly<{ place: ComparedPlace; last: number }>) {
  const [params] = useSearchParams()
  const { state } = useLocation() as { state: unknown }
  const navigate = useNavigate()
  const change = useSetParams()
  const to = (task: number) => ({ search: taskSearch(params, task, place.repeat) })
  const step = (task: number, label: string, Icon: typeof ChevronLeft) =>
    task < 0 || task > last ? null : (
      <Link to={to(task)} replace state={state} className={buttonClass({ size: 'sm' })}>
        <Icon size={14} aria-hidden />
        {label}
      </Link>
    )
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        size="sm"
        onPress={() => {
          if (isFromRows(state)) void navigate(-1)
          else change({ task: null, repeat: null })
        }}
        icon={<ArrowLeft size={14} aria-hidden />}
      >
        {words.back}
      </Button>
      {step(place.task - 1, words.previous, ChevronLeft)}
      {step(place.task + 1, words.next, ChevronRight)}
    </div>
  )
}

function Both({ evaluation, row }: Readonly<{ evaluation: Evaluation; row: Compared }>) {
  const nameOf = useArmName(evaluation)
  const { task, repeat, left, right } = row
  return (
    <>
      <div className="flex flex-col gap-1">
        <h2 className="text-sm font-semibold">
          {answers.onlyTask(task.index)}
          {repeat > 0 ? `, ${answers.repeat(repeat)}` : ''}
        </h2>
        <p className="max-h-40 overflow-auto whitespace-pre-wrap">{task.query}</p>
        {task.reference === null ? null : (
          <p className="text-xs text-ink-2">
            {answers.reference}: {task.reference}
          </p>
        )}
      </div>
      <div className="grid items-start gap-3 lg:grid-cols-2">
        {[left, right].map((result) => (
          <CompareTrace key={result.id} result={result} arm={nameOf(result.arm)} />
        ))}
      </div>
    </>
  )
}
