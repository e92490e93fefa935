import { Flag } from 'lucide-react'

import type { ListProps } from '@/components/run/family-views'
import { useRun } from '@/components/run/run-context'
import { VerdictBadge } from '@/components/verdict-badge'

import { Ordinal, SubtaskStatusLabel } from './subtask-look'
import { divisionOf, type SubtaskView } from './task-graph'
import { useWhyNone } from './use-planning'
import { useCandidateRole, useSubtasks } from './use-subtasks'
import { text } from './view-words'
import { formatScore } from './why-picked'

/** The same as the graph says, to be read from top to bottom. */
export function SubtaskList({ selected, onSelect }: Readonly<ListProps>) {
  const subtasks = useSubtasks()
  const whyNone = useWhyNone()
  const graph = useRun(({ attempt }) => divisionOf(attempt).taskGraph)
  return (
    <section aria-label={text.title} className="flex flex-col">
      <div className="flex flex-col px-4 py-3">
        <h2 className="text-sm font-semibold">{text.title}</h2>
        <p className="text-xs text-ink-3">
          {graph === null ? whyNone : text.planned[graph.planner]}
        </p>
      </div>
      <ol className="flex flex-col">
        {subtasks.map((subtask) => (
          <li key={subtask.id} className="border-t border-line">
            <button
              type="button"
              aria-pressed={selected === subtask.id}
              onClick={() => onSelect(subtask.id)}
              className="flex w-full items-start gap-2.5 px-4 py-2.5 text-left hover:bg-surface-2 focus-visible:-outline-offset-2"
            >
              <Ordinal subtask={subtask} />
              <Row subtask={subtask} />
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Row({ subtask }: Readonly<{ subtask: SubtaskView }>) {
  const { status, result, candidates, isFinal } = subtask
  const roleOf = useCandidateRole()
  return (
    <span className="flex min-w-0 flex-1 flex-col gap-0.5">
      <span className="line-clamp-2">{subtask.text}</span>
      <span className="flex flex-wrap items-center gap-x-3 text-xs">
        <SubtaskStatusLabel status={status} />
        {result?.answer == null ? null : <b className="font-semibold">{result.answer}</b>}
        {result && result.correct !== null ? <VerdictBadge plain correct={result.correct} /> : null}
        {isFinal ? (
          <span className="flex items-center gap-1 text-ink-3">
            <Flag size={12} aria-hidden />
            {text.final}
          </span>
        ) : null}
      </span>
      {candidates.map(({ score, isChosen }) => (
        <span key={score.agent_id} className="flex gap-2 text-xs text-ink-3">
          <span className={isChosen ? 'min-w-0 truncate font-medium text-ink' : 'min-w-0 truncate'}>
            {text.by(roleOf(score), score.endpoint)}
            {isChosen ? ` · ${text.counts}` : ''}
          </span>
          <span className="ml-auto">{formatScore(score.score)}</span>
        </span>
      ))}
    </span>
  )
}
