import { Hand, Scale, TrendingUp, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { Card } from '@/components/card'
import { EvaluationProgress } from '@/features/evaluations/progress'
import { JobProgress } from '@/features/training/job-progress'
import { shorten } from '@/lib/format'
import { strings } from '@/lib/strings'

import { useNowRunning } from './use-home'

const words = strings.home

/** Long work that is under way, and runs that wait for an answer of mine; nothing while there is
 * neither. */
export function NowRunning() {
  const { trainings, evaluations, waiting } = useNowRunning()
  if (trainings.length + evaluations.length + waiting.length === 0) return null
  return (
    <Card flush title={words.now}>
      <ul className="divide-y divide-line">
        {waiting.map((run) => (
          <Row key={run.id} to={`/runs/${run.id}`} icon={Hand} name={shorten(run.query, 120)}>
            <p className="text-xs text-warn">{words.waits}</p>
          </Row>
        ))}
        {trainings.map((job) => (
          <Row key={job.id} to={`/training/${job.id}`} icon={TrendingUp} name={job.name}>
            <JobProgress job={job} className="text-xs" />
          </Row>
        ))}
        {evaluations.map((each) => (
          <Row key={each.id} to={`/evaluations/${each.id}`} icon={Scale} name={each.name}>
            <EvaluationProgress evaluation={each} className="text-xs" />
          </Row>
        ))}
      </ul>
    </Card>
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
