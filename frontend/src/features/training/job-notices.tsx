import { Disclosure } from '@/components/disclosure'
import { ErrorPanel } from '@/components/error-panel'
import { Notice } from '@/components/notice'
import { formatDateTime } from '@/lib/format'

import { text } from '@/strings/training'
import type { Training } from './use-training'

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
      {job.status === 'pausing' ? <Notice title={text.actions.paused} /> : null}
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
