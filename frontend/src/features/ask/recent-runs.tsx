import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { StatusBadge } from '@/components/badge'
import { Card } from '@/components/card'
import { api, unwrap } from '@/lib/api/client'
import { useMethodName, type RunSummary } from '@/lib/api/queries'
import { formatAgo, formatSeconds, shorten } from '@/lib/format'
import { strings } from '@/strings/studio'
import { useNow } from '@/lib/use-now'

const SHOWN = 6
const ACTIVE = new Set(['queued', 'running'])

/** The last runs of everybody, quietly; nothing at all while there is none. */
export function RecentRuns() {
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
