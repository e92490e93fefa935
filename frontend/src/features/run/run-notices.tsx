import { Ban, History, Hourglass, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'

import { Button } from '@/components/button'
import { ErrorPanel } from '@/components/error-panel'
import { useRun } from '@/components/run/run-context'
import { isEarlier, shownWhole } from '@/components/run/run-store'
import { text } from '@/strings/run'
import { currentAttempt, type AttemptView } from '@/graph/run-view'
import { formatSeconds } from '@/lib/format'
import { useNow } from '@/lib/use-now'

import { WaitingPanel } from './parts'

/** What a person has to know before reading on: waiting, lost attempts, failure, cancellation. */
export function RunNotices() {
  const status = useRun((state) => state.view.status)
  const outcome = useRun(({ view }) => currentAttempt(view)?.outcome ?? null)
  const stored = useRun((state) => state.view.detail?.failure ?? null)
  const attempts = useRun((state) => state.view.attempts)
  const lost = attempts.filter((attempt) => attempt.loss !== null)
  const failure = outcome?.failure ?? stored
  return (
    <>
      <EarlierNotice />
      {status === 'queued' ? <QueuedNotice lostAttempt={lost.at(-1)?.attempt ?? null} /> : null}
      {status !== 'queued' && status !== 'failed'
        ? lost.map((attempt) => (
            <Notice
              key={attempt.attempt}
              icon={<Unplug size={16} aria-hidden />}
              title={text.lost(attempt.attempt)}
              detail={`${attempt.loss?.failure.message ?? ''} ${helpAfter(attempt, attempts)}`}
              action={<ShowAttempt attempt={attempt.attempt} />}
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

/** What became of the run after this attempt was lost. */
function helpAfter({ attempt }: AttemptView, attempts: readonly AttemptView[]): string {
  const next = attempts.find((each) => each.attempt > attempt)
  return next?.takenUp ? text.lostContinued : text.lostHelp
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

/** Above an attempt that another one has followed: its agents go by the same names. */
function EarlierNotice() {
  const shown = useRun((state) => (isEarlier(state) ? shownWhole(state) : null))
  const last = useRun(({ view }) => currentAttempt(view)?.attempt ?? null)
  if (!shown || last === null) return null
  return (
    <Notice
      icon={<History size={16} aria-hidden />}
      title={text.earlier(shown.attempt, last)}
      action={<ShowAttempt attempt={last} />}
    />
  )
}

function ShowAttempt({ attempt }: Readonly<{ attempt: number }>) {
  const go = useRun((state) => state.go)
  const isShown = useRun((state) => shownWhole(state)?.attempt === attempt)
  if (isShown) return null
  return (
    <Button size="sm" onPress={() => go(attempt, null)}>
      {text.showAttempt(attempt)}
    </Button>
  )
}

interface NoticeProps {
  icon: ReactNode
  title: string
  detail?: string
  action?: ReactNode
}

function Notice({ icon, title, detail, action }: Readonly<NoticeProps>) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-start gap-3 rounded-lg border border-line bg-surface-1 px-4 py-2.5"
    >
      <span className="mt-0.5 shrink-0 text-ink-3">{icon}</span>
      <p className="flex min-w-0 flex-1 basis-60 flex-col">
        <span className="font-semibold">{title}</span>
        {detail ? <span className="text-ink-2">{detail}</span> : null}
      </p>
      {action}
    </div>
  )
}
