import { Hand, MessageCircleQuestion, Scale, TrendingUp, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { StatusBadge } from '@/components/badge'
import { Card } from '@/components/card'
import { EvaluationProgress } from '@/features/evaluations/progress'
import { TrainingProgress } from '@/features/training/training-progress'
import { useMethodName, type RunSummary } from '@/lib/api/queries'
import { formatSeconds, shorten } from '@/lib/format'
import { strings } from '@/strings/studio'
import { useNow } from '@/lib/use-now'

import { useNowRunning, type ShownOf } from './use-home'

const words = strings.home

/** Long work that is under way, runs of mine, and those that wait for an answer of mine; nothing
 * while there is none of it. */
export function NowRunning() {
  const { trainings, evaluations, waiting, runs } = useNowRunning()
  if ([trainings, evaluations, waiting, runs].every(({ rows }) => rows.length === 0)) return null
  return (
    <Card flush title={words.now}>
      <ul className="divide-y divide-line">
        {waiting.rows.map((run) => (
          <Row key={run.id} to={`/runs/${run.id}`} icon={Hand} name={shorten(run.query, 120)}>
            <p className="text-xs text-warn">{words.waits}</p>
          </Row>
        ))}
        <More {...waiting} to="/runs?mine=true&status=waiting" name={words.more.waiting} />
        {runs.rows.map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
        <More {...runs} to="/runs?mine=true" name={words.more.runs} />
        {trainings.rows.map((job) => (
          <Row key={job.id} to={`/training/${job.id}`} icon={TrendingUp} name={job.name}>
            <TrainingProgress job={job} className="text-xs" />
          </Row>
        ))}
        <More {...trainings} to="/training" name={words.more.trainings} />
        {evaluations.rows.map((each) => (
          <Row key={each.id} to={`/evaluations/${each.id}`} icon={Scale} name={each.name}>
            <EvaluationProgress evaluation={each} className="text-xs" />
          </Row>
        ))}
        <More {...evaluations} to="/evaluations" name={words.more.evaluations} />
      </ul>
    </Card>
  )
}

/** How many steps a method will take is not known before: what is told is for how long it has been. */
function RunRow({ run }: Readonly<{ run: RunSummary }>) {
  const now = useNow(1_000)
  const methodName = useMethodName()
  const since = Date.parse(run.started_at ?? run.created_at)
  const seconds = Math.max(1, Math.round((now - since) / 1_000))
  return (
    <Row to={`/runs/${run.id}`} icon={MessageCircleQuestion} name={shorten(run.query, 120)}>
      <p className="flex flex-wrap items-center gap-x-2 text-xs text-ink-2">
        <StatusBadge status={run.status} />
        {methodName(run.method)}, {words.since(formatSeconds(seconds))}
      </p>
    </Row>
  )
}

interface MoreProps extends Pick<ShownOf<unknown>, 'more' | 'isOpenEnded'> {
  to: string
  /** Of what: “runs of mine”. */
  name: string
}

function More({ more, isOpenEnded, to, name }: Readonly<MoreProps>) {
  if (more === 0) return null
  return (
    <li className="px-4 py-2 text-xs">
      <Link to={to} className="font-medium text-accent hover:underline">
        {words.andMore(more, isOpenEnded, name)}
      </Link>
    </li>
  )
}

interface RowProps {
  to: string
  icon: LucideIcon
  name: string
  children: ReactNode
}

function Row({ to, icon: Icon, name, children }: Readonly<RowProps>) {
  return (
    <li className="relative grid grid-cols-[1.25rem_1fr] items-start gap-x-2 gap-y-1 px-4 py-2.5 hover:bg-surface-2 sm:grid-cols-[1.25rem_minmax(0,1fr)_minmax(0,1fr)] sm:items-center">
      <Icon size={16} aria-hidden className="text-ink-3" />
      <Link to={to} className="min-w-0 truncate font-medium after:absolute after:inset-0">
        {name}
      </Link>
      <div className="max-sm:col-start-2">{children}</div>
    </li>
  )
}
