import type { ReactNode } from 'react'
import { useShallow } from 'zustand/react/shallow'

import { StatusBadge } from '@/components/badge'
import { ProgressBar } from '@/components/progress-bar'
import { QuestionText } from '@/components/question-text'
import { useRun } from '@/components/run/run-context'
import { VerdictBadge } from '@/components/verdict-badge'
import { firstOf, type GraphFamily, type Progress } from '@/graph/family'
import { currentAttempt, isEnded, type AgentView, type RunView } from '@/graph/run-view'
import { formatLeft } from '@/lib/format'
import { useTimeLeft } from '@/lib/use-time-left'
import { text } from '@/strings/run'
import { strings } from '@/strings/studio'

import { RunFacts } from './run-facts'
import { RunFiles } from './run-files'
import { RunSettings } from './run-settings'

export function RunHeader({ actions }: Readonly<{ actions: ReactNode }>) {
  const status = useRun((state) => state.view.status)
  return (
    <header className="flex flex-col gap-3 border-b border-line bg-surface-1 px-4 pt-4 pb-3 sm:px-6">
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3 lg:flex-nowrap">
        <div className="flex min-w-0 flex-1 basis-72 items-start gap-2.5">
          <span className="flex flex-wrap gap-1 pt-0.5">
            <StatusBadge status={status} />
            <RunVerdict />
          </span>
          <Question />
        </div>
        <div data-tour="actions" className="flex flex-wrap items-center gap-1.5">
          {actions}
        </div>
      </div>
      <RunProgress />
      <RunFacts />
      <RunSettings />
    </header>
  )
}

/** Right or wrong, where somebody judged it. */
function RunVerdict() {
  const seen = useRun((state) => state.attempt?.verdict ?? null)
  const stored = useRun((state) => state.view.detail?.correct ?? null)
  const correct = seen?.correct ?? stored
  if (correct === null) return null
  return <VerdictBadge correct={correct} title={seen?.explanation ?? ''} />
}

function Question() {
  const query = useRun((state) => state.view.detail?.query ?? state.attempt?.start?.query ?? '')
  return (
    <div data-tour="question" className="flex min-w-0 flex-col gap-2">
      <QuestionText
        as="h1"
        text={query || text.title}
        className="text-lg leading-6 font-semibold tracking-tight"
      />
      <RunFiles />
    </div>
  )
}

/** How much of a planned team, or of what its family counts, is done, and about how long the rest takes.
 * The end of a team that is built while it runs is not known: the tab's title counts those so far. */
function RunProgress() {
  const progress = useRun(useShallow(({ view, families }) => plannedProgress(view, families)))
  return progress && <Bar {...progress} />
}

function Bar({ done, total, words }: Readonly<Progress>) {
  const left = useTimeLeft(done, total)
  return (
    <ProgressBar
      label={words.progress}
      value={done}
      total={total}
      text={words.spokenOf(done, total, left === null ? null : formatLeft(left))}
      className="max-w-xl"
    />
  )
}

/** How far a run is, for the tab's title: of the agents that there are so far, how many have spoken. It
 * may build more. Null once it has ended. */
export function progressOf(view: RunView): string | null {
  if (isEnded(view.status)) return null
  if (view.status !== 'running') return strings.status[view.status]
  return text.spoken(spokenAgents(view), agentsOf(view).length)
}

export const spokenAgents = (view: RunView): number =>
  agentsOf(view).filter(({ endedAt }) => endedAt !== null).length

/** How far a run is, where its end is known: by what its family counts, else by its agents, if it has
 * several. */
export function plannedProgress(view: RunView, families: readonly GraphFamily[]): Progress | null {
  const attempt = currentAttempt(view)
  if (view.status !== 'running' || !attempt) return null
  const own = firstOf(families, ({ progress }) => progress?.(attempt))
  if (own !== null) return own === 'open' ? null : own
  const total = attempt.agents.size
  return total > 1 ? { done: spokenAgents(view), total, words: text } : null
}

const agentsOf = (view: RunView): AgentView[] => [...(currentAttempt(view)?.agents.values() ?? [])]
