import { cx } from '@/components/cx'
import { ProgressBar } from '@/components/progress-bar'
import { formatCount, formatSeconds } from '@/lib/format'

import { text } from './training-strings'
import { isWorking, type Training } from './use-training'

/** Steps done of all, and about how long the rest takes. */
export function JobProgress({
  job,
  className = '',
}: Readonly<{ job: Training; className?: string }>) {
  if (!isWorking(job) && job.status !== 'paused')
    return <p className={cx('text-ink-2', className)}>{progressText(job)}</p>
  return (
    <ProgressBar
      label={`${text.columns.progress}: ${job.name}`}
      value={job.step}
      total={job.total_steps}
      text={progressText(job)}
      className={className}
    />
  )
}

function progressText({ status, step, total_steps, eta_seconds }: Training): string {
  if (status === 'queued' && step === 0) return text.waiting
  const steps =
    total_steps > 0
      ? text.steps(formatCount(step), formatCount(total_steps))
      : text.stepsOnly(formatCount(step))
  return eta_seconds === null ? steps : `${steps}, ${text.left(formatSeconds(eta_seconds))}`
}
