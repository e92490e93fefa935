import { useParams } from 'react-router'

import { PageProblem } from '@/components/page-problem'
import { Tabs } from '@/components/tabs'
import { WorkingBlock } from '@/components/working'
import { formatCount } from '@/lib/format'
import { useChoiceParam } from '@/lib/use-param'
import { formatPercentDone, useProgressTitle } from '@/lib/use-progress-title'

import { JobCheckpoints } from './checkpoints-view'
import { JobAgents, rewardsAgents } from './job-agents'
import { JobHeader } from './job-header'
import { JobNotices } from './job-notices'
import { SettingsView } from './settings-view'
import { Timeline } from './timeline'
import { text } from '@/strings/training'
import { useJob } from './use-feeds'
import { isGone, isWorking, type Training } from './use-training'

const TABS = ['curve', 'agents', 'checkpoints', 'settings'] as const

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
    return (
      <PageProblem
        title={text.missing}
        error={job.error}
        onRetry={() => void job.refetch()}
        to="/training"
        toLabel={text.others}
      />
    )
  return (
    <div className="flex flex-1 flex-col">
      <JobHeader job={known} />
      <div className="mx-auto flex w-full max-w-[1600px] flex-col gap-4 px-4 py-4 sm:px-6">
        <JobNotices job={known} />
        <Views key={known.id} job={known} />
      </div>
    </div>
  )
}

function Views({ job }: Readonly<{ job: Training }>) {
  const [tab, setTab] = useChoiceParam('tab', TABS)
  return (
    <Tabs
      label={text.views.label}
      selected={tab === 'agents' && !rewardsAgents(job) ? 'curve' : tab}
      onSelect={setTab}
      panelClassName="pt-4"
      items={[
        { key: 'curve', label: text.views.curve, content: <Timeline job={job} /> },
        ...(rewardsAgents(job)
          ? [{ key: 'agents', label: text.views.agents, content: <JobAgents job={job} /> }]
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
