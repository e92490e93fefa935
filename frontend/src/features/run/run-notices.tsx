import { Ban, Hourglass, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'

import { ErrorPanel } from '@/components/error-panel'
import { useRun } from '@/components/run/run-context'
import { text } from '@/components/run/run-strings'
import { formatSeconds } from '@/lib/format'
import { useNow } from '@/lib/use-now'

import { WaitingPanel } from './parts'

/** What a person has to know before reading on: waiting, lost attempts, failure, cancellation. */
export function RunNotices() {
  const status = useRun((state) => state.view.status)
  const outcome = useRun((state) => state.attempt?.outcome ?? null)
  const stored = useRun((state) => state.view.detail?.failure ?? null)
  const attempts = useRun((state) => state.view.attempts)
  const lost = attempts.filter((attempt) => attempt.loss !== null)
  const failure = outcome?.failure ?? stored
  return (
    <>
      {status === 'queued' ? <QueuedNotice lostAttempt={lost.at(-1)?.attempt ?? null} /> : null}
      {status !== 'queued' && status !== 'failed'
        ? lost.map((attempt) => (
            <Notice
              key={attempt.attempt}
              icon={<Unplug size={16} aria-hidden />}
              title={text.lost(attempt.attempt)}
              detail={`${attempt.loss?.failure.message ?? ''} ${text.lostHelp}`}
            />
          ))
        : null}
      {status === 'waiting' ? <WaitingPanel /> : null}
      {status === 'failed' && failure ? <ErrorPanel title={text.failed} problem={failure} /> : null}
      {status === 'cancelled' ? (
        <Notice
          icon={<Ban size={16} aria-hidden />}
          title={outcome?.cancelledBy ? text.cancelledBy(outcome.cancelledBy) : text.cancelled}
          detail={text.cancelledHelp}
        />
      ) : null}
    </>
  )
}

function QueuedNotice({ lostAttempt }: Readonly<{ lostAttempt: number | null }>) {
  const created = useRun((state) => state.view.detail?.created_at ?? null)
  const now = useNow(1_000)
  if (lostAttempt !== null)
    return <Notice icon={<Unplug size={16} aria-hidden />} title={text.requeued(lostAttempt)} />
  const waited = created ? Math.max(0, (now - Date.parse(created)) / 1_000) : null
  return (
    <Notice
      icon={<Hourglass size={16} aria-hidden />}
      title={text.queued(formatSeconds(waited === null ? null : Math.round(waited)))}
      detail={text.queuedHelp}
    />
  )
}

interface NoticeProps {
  icon: ReactNode
  title: string
  detail?: string
}

function Notice({ icon, title, detail }: Readonly<NoticeProps>) {
  return (
    <div
      role="status"
      className="flex items-start gap-3 rounded-lg border border-line bg-surface-1 px-4 py-2.5"
    >
      <span className="mt-0.5 shrink-0 text-ink-3">{icon}</span>
      <p className="flex min-w-0 flex-col">
        <span className="font-semibold">{title}</span>
        {detail ? <span className="text-ink-2">{detail}</span> : null}
      </p>
    </div>
  )
}
