import { useParams } from 'react-router'

import { ErrorPanel } from '@/components/error-panel'
import { Notice } from '@/components/notice'
import { Tabs } from '@/components/tabs'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { formatCount } from '@/lib/format'
import { useChoiceParam } from '@/lib/use-param'
import { formatPercentDone, useProgressTitle } from '@/lib/use-progress-title'

import { JobCheckpoints } from './checkpoints-view'
import { JobHeader } from './job-header'
import { SettingsView } from './settings-view'
import { Timeline } from './timeline'
import { text } from './training-strings'
import { isWorking, useJob, type Training } from './use-training'

const TABS = ['curve', 'checkpoints', 'settings'] as const

/** One training: its curve with the systems behind it, the checkpoints it left, all its settings. */
export function TrainingPage() {
  const { id = '' } = useParams()
  const job = useJob(id)
  const known = job.data
  const share =
    known && isWorking(known) && known.total_steps > 0
      ? formatPercentDone(known.step, known.total_steps)
      : null
  useProgressTitle(known?.name ?? text.title, share)
  if (job.isPending) return <WorkingBlock />
  if (!known)
    return (
      <div className="mx-auto w-full max-w-xl p-6">
        <ErrorPanel problem={toApiError(job.error)} onRetry={() => void job.refetch()} />
      </div>
    )
  return (
    <div className="flex flex-1 flex-col">
      <JobHeader job={known} />
      <div className="mx-auto flex w-full max-w-[1600px] flex-col gap-4 px-4 py-4 sm:px-6">
        <Notices job={known} />
        <Views key={known.id} job={known} />
      </div>
    </div>
  )
}

function Notices({ job }: Readonly<{ job: Training }>) {
  return (
    <>
      {job.failure ? <ErrorPanel title={text.failed} problem={job.failure} /> : null}
      {job.status === 'paused' ? <Notice title={text.pausedNote} /> : null}
      {job.end_reason === 'budget' ? <Notice tone="warn" title={text.budgetSpent} /> : null}
      {job.notices.map((notice) => (
        <Notice key={`${notice.code}/${notice.message}`} tone="warn" title={notice.message} />
      ))}
    </>
  )
}

function Views({ job }: Readonly<{ job: Training }>) {
  const [tab, setTab] = useChoiceParam('tab', TABS)
  return (
    <Tabs
      label={text.views.label}
      selected={tab}
      onSelect={setTab}
      panelClassName="pt-4"
      items={[
        { key: 'curve', label: text.views.curve, content: <Timeline job={job} /> },
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
