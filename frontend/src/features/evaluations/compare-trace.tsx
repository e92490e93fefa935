import { useState } from 'react'
import { Link } from 'react-router'

import { cx } from '@/components/cx'
import { ErrorPanel } from '@/components/error-panel'
import { AgentPanel } from '@/components/run/agent-panel'
import { RunContext, useRun } from '@/components/run/run-context'
import { TraceTree } from '@/components/run/trace-tree'
import { useRunStream } from '@/components/run/use-run-stream'
import { VerdictBadge } from '@/components/verdict-badge'
import { WorkingBlock } from '@/components/working'
import { FAMILIES } from '@/families/registry'
import { toApiError } from '@/lib/api/errors'
import { formatCount, formatSeconds } from '@/lib/format'

import { text } from '@/strings/evaluations'
import type { Result } from './use-evaluations'

const { compare: words, answers } = text

interface Props {
  result: Result
  arm: string
}

/** What one arm answered, and its trace; under it the agent that was chosen there. */
export function CompareTrace({ result, arm }: Readonly<Props>) {
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
            <Link
              to={`/runs/${run}`}
              aria-label={words.whole(task.index, arm)}
              className="rounded-sm text-xs font-medium text-accent hover:underline"
            >
              {words.run}
            </Link>
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
