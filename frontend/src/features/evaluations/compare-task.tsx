import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, ChevronLeft, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'

import { Button } from '@/components/button'
import { ButtonLink } from '@/components/button-link'
import { cx } from '@/components/cx'
import { ErrorPanel } from '@/components/error-panel'
import { Notice } from '@/components/notice'
import { PlainText } from '@/components/plain-text'
import { QueryState } from '@/components/query-state'
import { AgentPanel } from '@/components/run/agent-panel'
import { RunContext, useRun } from '@/components/run/run-context'
import { TraceTree } from '@/components/run/trace-tree'
import { useRunStream } from '@/components/run/use-run-stream'
import { TextLink } from '@/components/text-link'
import { VerdictBadge } from '@/components/verdict-badge'
import { WorkingBlock } from '@/components/working'
import { FAMILIES } from '@/families/registry'
import { toApiError } from '@/lib/api/errors'
import { formatCount, formatSeconds } from '@/lib/format'
import { useSetParams } from '@/lib/use-param'
import { text } from '@/strings/evaluations'

import { isFromRows, taskSearch } from './task-place'
import { useArmName } from './use-arm-name'
import {
  comparedTask,
  type Compared,
  type ComparedPlace,
  type Evaluation,
  type Result,
} from './use-evaluations'

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
      <QueryState of={found} />
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
      <ButtonLink to={to(task)} replace state={state} size="sm" icon={Icon}>
        {label}
      </ButtonLink>
    )
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        size="sm"
        onPress={() => {
          if (isFromRows(state)) void navigate(-1)
          else change({ task: null, repeat: null })
        }}
        icon={ArrowLeft}
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
        <p className="max-h-40 overflow-auto whitespace-pre-wrap">
          <PlainText text={task.query} />
        </p>
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

/** What one arm answered, and its trace; under it the agent that was chosen there. */
function CompareTrace({ result, arm }: Readonly<{ result: Result; arm: string }>) {
  const { answer, correct, failed, failure, explanation, run, task } = result
  return (
    <article
      aria-label={answers.open(task.index, arm)}
      className="flex min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-surface-1"
    >
      <header className="flex flex-col gap-1 border-b border-line px-4 py-2.5">
        <div className="flex flex-wrap items-baseline gap-x-3">
          <h3 className="min-w-0 flex-1 font-semibold break-words">{arm}</h3>
          {run === null ? null : (
            <TextLink
              to={`/runs/${run}`}
              aria-label={words.whole(task.index, arm)}
              className="text-xs font-medium"
            >
              {words.run}
            </TextLink>
          )}
        </div>
        <p className={cx('line-clamp-3', (answer === null || failure) && 'text-ink-3')}>
          {failure ? failure.message : (answer ?? answers.noAnswer)}
        </p>
        <p className="flex flex-wrap items-center gap-x-3 text-xs text-ink-3">
          <VerdictBadge plain correct={correct} failed={failed} title={explanation} />
          <span>
            {formatCount(result.tokens)} {text.armTable.tokens.toLowerCase()}
          </span>
          <span>{formatSeconds(result.seconds)}</span>
        </p>
      </header>
      {run === null ? (
        <p className="p-4 text-ink-3">{answers.gone}</p>
      ) : (
        <TraceOf key={run} run={run} />
      )}
    </article>
  )
}

function TraceOf({ run }: Readonly<{ run: string }>) {
  const { store, problem } = useRunStream(run, FAMILIES)
  return (
    <RunContext value={store}>
      <TraceBody problem={problem} />
    </RunContext>
  )
}

function TraceBody({ problem }: Readonly<{ problem: Error | null }>) {
  const isKnown = useRun(({ view }) => view.attempts.length > 0)
  const [agent, setAgent] = useState<string | null>(null)
  if (!isKnown && problem)
    return (
      <div className="p-4">
        <ErrorPanel problem={toApiError(problem)} />
      </div>
    )
  if (!isKnown) return <WorkingBlock />
  return (
    <>
      <div className="h-[50dvh] min-h-72">
        <TraceTree selected={agent} onSelect={setAgent} />
      </div>
      <div className="border-t border-line">
        {agent === null ? (
          <p className="px-4 py-2.5 text-xs text-ink-3">{words.chooseAgent}</p>
        ) : (
          <AgentPanel key={agent} id={agent} onSelect={setAgent} />
        )}
      </div>
    </>
  )
}
