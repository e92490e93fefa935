import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'react-router'

import { Badge } from '@/components/badge'
import { Fact } from '@/components/fact'
import { useRun, useWorkerNow } from '@/components/run/run-context'
import { useAgentNames, useAgents } from '@/components/run/use-agents'
import { TextLink } from '@/components/text-link'
import type { RunDetail } from '@/graph/frames'
import { isEnded } from '@/graph/run-view'
import { tokensOf, totalsOf } from '@/graph/totals'
import { checkpointQuery, type Checkpoint } from '@/lib/api/checkpoints'
import { queries } from '@/lib/api/queries'
import { UNKNOWN, formatCost, formatCount, formatDateTime, formatSeconds } from '@/lib/format'
import { text } from '@/strings/run'

const TICK_MS = 100

/** What was run and what it took. */
export function RunFacts() {
  const view = useRun((state) => state.view)
  const start = useRun((state) => state.attempt?.start ?? null)
  const totals = useMemo(() => totalsOf(view), [view])
  const { detail } = view
  const { facts } = text
  const methodName = useMethodName(detail?.method ?? start?.method)
  const pool = detail?.pool ?? start?.pool
  const version = detail?.pool_version ?? start?.poolVersion
  const attempt = Math.max(detail?.attempt ?? 0, view.attempts.at(-1)?.attempt ?? 0)
  return (
    <dl
      aria-label={facts.label}
      data-tour="costs"
      className="grid grid-cols-4 gap-x-3 gap-y-2 sm:flex sm:flex-wrap sm:gap-x-6"
    >
      <Fact name={facts.method}>{methodName}</Fact>
      <Fact name={facts.model} title={start?.model ?? ''} className="col-span-3">
        {[detail?.endpoint ?? start?.endpoint, start?.model].filter(Boolean).join(' / ') || UNKNOWN}
      </Fact>
      {pool ? (
        <Fact name={facts.pool}>
          {pool}
          {version == null ? '' : `@${version}`}
        </Fact>
      ) : null}
      <CheckpointFact />
      <Fact name={facts.seed}>{detail?.seed ?? start?.seed ?? UNKNOWN}</Fact>
      {attempt > 1 && !view.attempts.some(({ pause }) => pause) ? (
        <Fact name={facts.attempt}>
          {facts.attemptOf(attempt, detail?.max_attempts ?? attempt)}
        </Fact>
      ) : null}
      {detail?.created_by ? (
        <Fact name={facts.by} title={formatDateTime(detail.created_at)}>
          {detail.created_by}
        </Fact>
      ) : null}
      {detail?.retry_of ? (
        <Fact name={facts.retryOf}>
          <TextLink to={`/runs/${detail.retry_of}`}>{detail.retry_of.slice(0, 8)}</TextLink>
        </Fact>
      ) : null}
      {detail?.fork_of ? (
        <Fact name={facts.forkOf}>
          <TextLink to={`/runs/${detail.fork_of}`}>{detail.fork_of.slice(0, 8)}</TextLink>
        </Fact>
      ) : null}
      {detail?.design ? (
        <Fact name={facts.design} title={detail.design_name ?? ''}>
          <Link to={`/designs/${detail.design}`} className="text-accent underline">
            {detail.design_name}
          </Link>{' '}
          {detail.design_version === null ? facts.designDraft : `v${detail.design_version}`}
        </Fact>
      ) : null}
      {detail?.evaluation ? <EvaluationFact run={detail} id={detail.evaluation} /> : null}
      <span aria-hidden className="hidden w-px self-stretch bg-line sm:block" />
      <Fact name={facts.agents}>{facts.team(formatCount(totals.agents), totals.hasSummary)}</Fact>
      <Fact
        name={facts.tokens}
        title={facts.split(
          formatCount(totals.usage?.promptTokens),
          formatCount(totals.usage?.completionTokens),
        )}
      >
        {formatCount(tokensOf(totals.usage))}
      </Fact>
      {detail ? <CutFact run={detail} /> : null}
      <TemperatureFact />
      <Fact name={facts.cost}>{formatCost(totals.usage?.cost)}</Fact>
      <Fact name={facts.time}>
        {totals.startedAt === null ? (
          formatSeconds(totals.seconds)
        ) : (
          <Ticking since={totals.startedAt} />
        )}
      </Fact>
    </dl>
  )
}

/** How many answers were cut, and whose; of an older run nobody knows. */
function CutFact({ run }: Readonly<{ run: RunDetail }>) {
  const { facts } = text
  const { replies, cut_agents: agents, final_cut: isFinal } = run
  // The sample run is older, and says nothing of it.
  const cut = run.cut_replies as number | null | undefined
  if (!isEnded(run.status)) return null
  if (cut == null)
    return (
      <Fact name={facts.cut} title={facts.cutUnknownHelp}>
        <span className="font-normal text-ink-3">{facts.cutUnknown}</span>
      </Fact>
    )
  const said = [
    cut > 0 ? facts.cutAgents((agents ?? []).join(', ')) : null,
    isFinal ? facts.finalCut : null,
    facts.cutHelp,
  ].filter((part) => part !== null)
  return (
    <Fact name={facts.cut} title={said.join(' ')}>
      <span className={cut > 0 ? 'text-warn' : ''}>
        {facts.cutOf(formatCount(cut), formatCount(replies))}
      </span>
      {cut > 0 ? (
        <span className="font-normal text-ink-3"> {(agents ?? []).join(', ')}</span>
      ) : null}
    </Fact>
  )
}

/** Whose answers a server sampled at its own temperature; nothing where it took the one asked for. */
function TemperatureFact() {
  const agents = useAgents()
  const nameOf = useAgentNames()
  const { facts } = text
  const own = [...agents.values()].filter(({ ownTemperature }) => ownTemperature)
  if (own.length === 0) return null
  const names = own.map(({ id }) => nameOf(id)).join(', ')
  return (
    <Fact name={facts.temperature} title={facts.ownTemperatureHelp(names)} className="col-span-2">
      <span className="text-warn">{facts.ownTemperature(own.length)}</span>
    </Fact>
  )
}

/** The way back to the evaluation, at the task that this run answered. */
function EvaluationFact({ run, id }: Readonly<{ run: RunDetail; id: string }>) {
  const { evaluation_name: name, task_index: index } = run
  const at = index === null ? '' : `?tab=answers&task=${index}`
  return (
    <Fact name={text.facts.evaluation} title={name ?? id} className="col-span-2 sm:max-w-80">
      <TextLink to={`/evaluations/${id}${at}`}>
        {text.facts.cell(name ?? id.slice(0, 8), index)}
      </TextLink>
    </Fact>
  )
}

function useMethodName(key: string | undefined): string {
  const methods = useQuery(queries.methods).data
  return methods?.find((method) => method.key === key)?.name ?? key ?? UNKNOWN
}

/** Seconds since `since`, renewed often enough to be seen moving. */
function Ticking({ since }: Readonly<{ since: number }>) {
  const now = useWorkerNow(TICK_MS)
  return <span className="inline-block min-w-12">{formatSeconds(Math.max(0, now - since))}</span>
}

const { facts } = text

/** The weights that the run used, with the way to where they come from. Nothing for a method that
 * learns nothing. */
function CheckpointFact() {
  const stored = useRun(({ view }) => view.detail?.checkpoint ?? null)
  const start = useRun((state) => state.attempt?.start ?? null)
  const known = useQuery({ ...checkpointQuery(stored ?? ''), enabled: stored !== null }).data
  const isUntrained = (start?.trained ?? known?.trained) === false
  // Initial weights go by a name of the worker's, under which nothing is stored.
  const name = stored ?? (isUntrained ? null : (start?.checkpoint ?? null))
  if (name === null && !isUntrained) return null
  return (
    <Fact name={facts.checkpoint} title={name ?? text.untrainedHelp} className="max-sm:col-span-2">
      {name === null ? null : <Origin name={name} checkpoint={known} />}{' '}
      {isUntrained ? <Badge tone="warn">{facts.untrained}</Badge> : null}
    </Fact>
  )
}

interface OriginProps {
  name: string
  /** undefined: it is being asked for, or no longer kept. */
  checkpoint: Checkpoint | undefined
}

function Origin({ name, checkpoint }: Readonly<OriginProps>) {
  if (!checkpoint) return name
  const place = checkpoint.job
    ? `/${checkpoint.job}?tab=checkpoints`
    : `?${new URLSearchParams({ tab: 'checkpoints', find: name }).toString()}`
  return <TextLink to={`/training${place}`}>{name}</TextLink>
}
