import { useQuery } from '@tanstack/react-query'
import { useEffect, type ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'

import { StatusBadge } from '@/components/badge'
import { Card } from '@/components/card'
import { isEnabled } from '@/components/options'
import { checkpointsQuery, checkpointUsed } from '@/lib/api/checkpoints'
import { api, unwrap } from '@/lib/api/client'
import { queries, useMethodName, type RunSummary, oneOf } from '@/lib/api/queries'
import { formatAgo, formatCompact, formatSeconds, shorten } from '@/lib/format'
import { useNow } from '@/lib/use-now'
import { useTitle } from '@/lib/use-title'
import { strings } from '@/strings/studio'

import { Composer } from './composer'
import { useDraft } from './draft-store'

/** `children` stand between the question and the runs before it. */
export function AskPage({ children }: Readonly<{ children?: ReactNode }>) {
  useTitle(strings.ask.title)
  useAsked()
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-8 px-4 pt-6 pb-10 sm:px-6 sm:pt-[9dvh]">
      <section className="flex flex-col gap-4">
        <h1 className="text-xl font-semibold tracking-tight">{strings.ask.heading}</h1>
        <Composer />
        <Samples />
      </section>
      {children}
      <RecentRuns />
    </div>
  )
}

const PARTS = ['q', 'task', 'method', 'checkpoint', 'endpoint', 'pool'] as const

/** A link can bring the question, the task that it is, and the choices: `/?method=mashost&checkpoint=best`. */
function useAsked(): void {
  const [params, setParams] = useSearchParams()
  const change = useDraft((draft) => draft.change)
  useEffect(() => {
    if (!PARTS.some((part) => params.has(part))) return
    const [q, task, method, checkpoint, endpoint, pool] = PARTS.map((part) => params.get(part))
    change({
      ...(q ? { query: q, task: task ? Number(task) || null : null } : {}),
      ...(method ? { method, checkpoint: checkpoint ?? null } : {}),
      ...(endpoint ? { endpoint } : {}),
      ...(pool ? { pool } : {}),
    })
    setParams({}, { replace: true })
  }, [params, setParams, change])
}

const SHOWN = 6
const ACTIVE = new Set(['queued', 'running'])

/** The last runs of everybody, quietly; nothing at all while there is none. */
function RecentRuns() {
  const recent = useQuery({
    queryKey: ['runs', 'recent'],
    queryFn: () => unwrap(api.GET('/api/runs', { params: { query: { page_size: SHOWN } } })),
    refetchInterval: ({ state }) =>
      state.data?.results.some(({ status }) => ACTIVE.has(status)) ? 2_500 : 30_000,
  })
  const runs = recent.data?.results ?? []
  if (runs.length === 0) return null
  return (
    <Card
      flush
      title={strings.ask.recent}
      actions={
        <Link to="/runs" className="text-xs font-medium text-accent hover:underline">
          {strings.ask.allRuns}
        </Link>
      }
    >
      <ul className="divide-y divide-line">
        {runs.map((run) => (
          <RecentRun key={run.id} run={run} />
        ))}
      </ul>
    </Card>
  )
}

function RecentRun({ run }: Readonly<{ run: RunSummary }>) {
  const now = useNow()
  const methodName = useMethodName()
  return (
    <li>
      <Link
        to={`/runs/${run.id}`}
        className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-0.5 px-4 py-2 hover:bg-surface-2 focus-visible:-outline-offset-2 sm:grid-cols-[6.5rem_1fr_auto]"
      >
        <span className="order-2 sm:order-none">
          <StatusBadge status={run.status} />
        </span>
        <span className="min-w-0">
          <span className="block truncate">{shorten(run.query, 160)}</span>
          <span className="block truncate text-xs text-ink-3">
            {methodName(run.method)}
            {run.answer ? ` · ${shorten(run.answer, 80)}` : ''}
          </span>
        </span>
        <span className="hidden text-right text-xs text-ink-3 sm:block">
          {formatAgo(run.created_at, now)}
          <br />
          {formatSeconds(run.seconds)}
        </span>
      </Link>
    </li>
  )
}

interface Sample {
  readonly label: string
  readonly query: string
  /** The checkpoint that answers it, and its method; absent: the chosen ones. */
  readonly by?: Readonly<{ method: string; checkpoint: string }>
}

/** The trained team that comes with the studio (`workers/core/methods/at_grpo/checkpoints`). */
const WALKERS = { method: 'at_grpo', checkpoint: 'at-grpo-nano' }

/** One question per kind of work. */
const SAMPLES: readonly Sample[] = [
  {
    label: 'Word problem',
    query:
      'A baker sells 14 loaves at 3 dollars and 5 cakes at 12 dollars. How much money does she take in all?',
  },
  { label: 'Logic', query: 'All cats are animals. Tom is a cat. Is Tom an animal?' },
  { label: 'Fact', query: 'How many days does a leap year have?' },
  { label: 'Translation', query: 'How do you say “Good morning” in French?' },
  {
    label: 'Find the way',
    query: `Find the way from S to G. # is a wall, and . is a free cell. A move goes one cell up, down, left or right. A move into a wall or off the grid ends the walk.

S...#
...##
..#.G
.#...
...#.

End with a line that lists the moves, like this one: Answer: right, down, down`,
    by: WALKERS,
  },
]

/** Parameters of the smallest model that answers all of them rightly (docs/results.md). */
const NEED = 490_000_000

/** Questions to begin with, and what model they need where the chosen one is smaller. */
export function Samples() {
  const change = useDraft((draft) => draft.change)
  const endpoint = useDraft((draft) => draft.endpoint)
  const method = useDraft((draft) => draft.method)
  const walkers = useQuery(checkpointsQuery(WALKERS.method)).data
  const offered = SAMPLES.filter(({ by }) => !by || checkpointUsed(walkers, by.checkpoint))
  const chosen = oneOf(useQuery(queries.endpoints).data?.filter(isEnabled), endpoint)
  const size = chosen?.parameters ?? NEED
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="text-xs text-ink-3">{strings.ask.samples}</span>
      {offered.map(({ label, query, by }) => (
        <button
          key={label}
          type="button"
          title={query}
          onClick={() => {
            // The team that knows one game answers no other question.
            const other = method === WALKERS.method ? { method: null, checkpoint: null } : {}
            change({ query, task: null, ...(by ? { ...by, endpoint: null } : other) })
          }}
          className="h-7 rounded-md border border-line bg-surface-1 px-2.5 text-xs text-ink-2 hover:border-line-strong hover:text-ink"
        >
          {label}
        </button>
      ))}
      {chosen && size < NEED ? (
        <p className="basis-full text-xs text-ink-3">
          {strings.ask.samplesNeed(chosen.name || chosen.key, formatCompact(size))}
        </p>
      ) : null}
    </div>
  )
}
