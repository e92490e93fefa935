import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'

import { AgentCurves } from '@/components/agents/agent-curves'
import { Card } from '@/components/card'
import { Disclosure } from '@/components/disclosure'
import { ErrorPanel } from '@/components/error-panel'
import { Notice } from '@/components/notice'
import { PageProblem } from '@/components/page-problem'
import { QueryError } from '@/components/query-state'
import { Tabs } from '@/components/tabs'
import { WorkingBlock } from '@/components/working'
import { curvesQuery } from '@/lib/api/agents'
import { useKeepsAgents } from '@/lib/api/queries'
import { formatCount, formatDateTime } from '@/lib/format'
import { useChoiceParam } from '@/lib/use-param'
import { formatPercentDone, useProgressTitle } from '@/lib/use-progress-title'
import { later } from '@/components/later'
import { text as agents } from '@/strings/agents'
import { text as selections } from '@/strings/selections'
import { text } from '@/strings/training'

import { JobCheckpoints } from './checkpoints-view'
import { useSelectsRoles } from './selections/use-selections'
import { SettingsView } from './settings-view'
import { Timeline } from './timeline'
import { TrainingHeader } from './training-header'
import { useJob } from './use-feeds'
import { isGone, isWorking, whenPaused, type Training } from './use-training'

const TABS = ['curve', 'agents', 'selections', 'checkpoints', 'settings'] as const
type Tab = (typeof TABS)[number]

/** Fetched with the first training that has it. */
const SelectionsView = later(
  async () => (await import('./selections/selections-view')).SelectionsView,
)

/** One training: its curve with the systems behind it, the checkpoints it left, all its settings. */
export function TrainingPage() {
  const { id = '' } = useParams()
  const job = useJob(id)
  const known = job.data
  const share =
    known && isWorking(known) && known.total_steps > 0
      ? formatPercentDone(known.step + known.step_share, known.total_steps)
      : null
  useProgressTitle(known?.name ?? text.title, share)
  if (job.isPending) return <WorkingBlock />
  if (!known || isGone(job.error))
    return <PageProblem title={text.missing} of={job} to="/training" toLabel={text.others} />
  return (
    <div className="flex flex-1 flex-col">
      <TrainingHeader job={known} />
      <div className="mx-auto flex w-full max-w-[1600px] flex-col gap-4 px-4 py-4 sm:px-6">
        <JobNotices job={known} />
        <Views key={known.id} job={known} />
      </div>
    </div>
  )
}

function Views({ job }: Readonly<{ job: Training }>) {
  const [tab, setTab] = useChoiceParam('tab', TABS)
  const hasAgents = useKeepsAgents()(job.method) ?? tab === 'agents'
  const hasSelections = useSelectsRoles(job.method) ?? tab === 'selections'
  const missing = new Set<Tab>([
    ...(hasAgents ? [] : (['agents'] as const)),
    ...(hasSelections ? [] : (['selections'] as const)),
  ])
  return (
    <Tabs
      label={text.views.label}
      selected={missing.has(tab) ? 'curve' : tab}
      onSelect={setTab}
      panelClassName="pt-4"
      items={[
        { key: 'curve', label: text.views.curve, content: <Timeline job={job} /> },
        ...(hasAgents
          ? [{ key: 'agents', label: text.views.agents, content: <JobAgents job={job} /> }]
          : []),
        ...(hasSelections
          ? [{ key: 'selections', label: selections.tab, content: <SelectionsView job={job} /> }]
          : []),
        {
          key: 'checkpoints',
          label: (
            <>
              {text.views.checkpoints}{' '}
              <span className="font-normal text-ink-3">{formatCount(job.checkpoints.length)}</span>
            </>
          ),
          content: <JobCheckpoints job={job} />,
        },
        { key: 'settings', label: text.views.settings, content: <SettingsView job={job} /> },
      ]}
    />
  )
}

/** What a training's own rewards come to, agent by agent; asked for again after each step. */
export function JobAgents({ job }: Readonly<{ job: Training }>) {
  const found = useQuery(curvesQuery({ job: job.id }, job.step))
  const { curves: words } = agents
  if (found.isPending) return <WorkingBlock />
  if (!found.data) return <QueryError of={found} />
  const curves = found.data
  return (
    <Card flush title={text.views.agentsTitle}>
      {curves.length === 0 ? (
        <p className="px-4 py-8 text-ink-2">{words.noneOfJob}</p>
      ) : (
        <>
          <p className="px-4 pt-3 text-xs text-ink-3">
            {words.shownOfJob(formatCount(curves.length))}
          </p>
          <AgentCurves curves={curves} over="steps" />
        </>
      )}
    </Card>
  )
}

/** What changes how the numbers are to be read; the rest only tells how the training went. */
const WARNINGS: ReadonlySet<string> = new Set(['not_finite', 'dataset_changed', 'version_changed'])

type Told = Training['notices'][number]

/** Why it stopped or waits, what to know before reading on, and what happened on the way. */
export function JobNotices({ job }: Readonly<{ job: Training }>) {
  const warnings = job.notices.filter(({ code }) => WARNINGS.has(code))
  const told = job.notices.filter(({ code }) => !WARNINGS.has(code))
  return (
    <>
      {job.failure ? <ErrorPanel title={text.failed} problem={job.failure} /> : null}
      {job.status === 'pausing' ? <Notice title={whenPaused(job)} /> : null}
      {job.status === 'paused' ? <Notice title={text.pausedNote} /> : null}
      {job.end_reason === 'budget' ? <Notice tone="warn" title={text.budgetSpent} /> : null}
      {warnings.map((notice) => (
        <Notice key={keyOf(notice)} tone="warn" title={notice.message} />
      ))}
      {told.length > 0 ? <OnTheWay told={told} /> : null}
    </>
  )
}

const keyOf = ({ code, message }: Told): string => `${code}/${message}`

function OnTheWay({ told }: Readonly<{ told: readonly Told[] }>) {
  return (
    <Disclosure level={2} title={text.onTheWay} hint={String(told.length)}>
      <ul className="flex max-h-60 flex-col gap-1 overflow-auto text-sm text-ink-2">
        {told.toReversed().map((notice) => (
          <li key={keyOf(notice)} className="flex flex-wrap gap-x-4">
            <time dateTime={notice.at} className="text-ink-3">
              {formatDateTime(notice.at)}
            </time>
            <span className="min-w-0 break-words">{notice.message}</span>
          </li>
        ))}
      </ul>
    </Disclosure>
  )
}
