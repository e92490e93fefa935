import { cx } from '@/components/cx'
import { ProgressBar } from '@/components/progress-bar'
import { formatCount, formatSeconds } from '@/lib/format'

import { text } from '@/strings/evaluations'
import { isActive, type Evaluation } from './use-evaluations'

/** Answers done of all, and about how long the rest takes. */
export function EvaluationProgress({
  evaluation,
  className = '',
}: Readonly<{ evaluation: Evaluation; className?: string }>) {
  const { done, total, name } = evaluation
  if (!isActive(evaluation))
    return <p className={cx('text-ink-2', className)}>{progressText(evaluation)}</p>
  return (
    <ProgressBar
      label={`${text.columns.progress}: ${name}`}
      value={done}
      total={total}
      text={progressText(evaluation)}
      className={className}
    />
  )
}

function progressText(evaluation: Evaluation): string {
  const { status, done, total, eta_seconds } = evaluation
  const count = text.of(formatCount(done), formatCount(total))
  if (status === 'queued' && done === 0) return text.waiting
  return eta_seconds === null ? count : `${count}, ${text.left(formatSeconds(eta_seconds))}`
}
