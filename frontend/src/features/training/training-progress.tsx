import { cx } from '@/components/cx'
import { ProgressBar } from '@/components/progress-bar'
import { formatCount, formatPercent, formatSeconds } from '@/lib/format'

import { text } from '@/strings/training'
import { isWorking, type Training } from './use-training'

/** Steps done of all, and about how long the rest takes. */
export function TrainingProgress({
  job,
  className = '',
}: Readonly<{ job: Training; className?: string }>) {
  if (!isWorking(job) && job.status !== 'paused')
    return <p className={cx('text-ink-2', className)}>{progressText(job)}</p>
  return (
    <ProgressBar
      label={`${text.columns.progress}: ${job.name}`}
      value={job.step + job.step_share}
      total={job.total_steps}
      text={progressText(job)}
      className={className}
    />
  )
}

function progressText(job: Training): string {
  const { status, step, total_steps, eta_seconds } = job
  if (status === 'queued' && step === 0) return text.waiting
  const whole =
    total_steps > 0
      ? text.steps(formatCount(step), formatCount(total_steps))
      : text.stepsOnly(formatCount(step))
  const steps =
    isWorking(job) && job.step_share > 0
      ? text.ofNext(whole, formatPercent(Math.floor(job.step_share * 100) / 100))
      : whole
  return eta_seconds === null ? steps : `${steps}, ${text.left(formatSeconds(eta_seconds))}`
}
