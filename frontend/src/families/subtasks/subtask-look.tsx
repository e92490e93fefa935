import {
  Ban,
  Check,
  CircleDashed,
  LoaderCircle,
  OctagonPause,
  Search,
  X,
  type LucideIcon,
} from 'lucide-react'

import { cx } from '@/components/cx'
import { strings } from '@/strings/studio'

import type { SubtaskStatus, SubtaskView } from './task-graph'
import type { Score } from './use-subtasks'
import { text } from './view-words'
import { formatScore } from './why-picked'
import { text as names } from './words'

const LOOKS: Readonly<Record<SubtaskStatus, readonly [icon: LucideIcon, className: string]>> = {
  waiting: [CircleDashed, 'text-ink-3'],
  searching: [Search, 'text-accent'],
  asked: [LoaderCircle, 'text-accent animate-spin'],
  // Not in the colour of what is right: whether it is, is told beside the answer.
  answered: [Check, 'text-accent'],
  unsolved: [X, 'text-bad'],
  stopped: [OctagonPause, 'text-ink-3'],
  unreached: [Ban, 'text-ink-3'],
}

/** How a subtask stands, as an icon and a word. */
export function SubtaskStatusLabel({ status }: Readonly<{ status: SubtaskStatus }>) {
  const [Icon, className] = LOOKS[status]
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-xs font-medium whitespace-nowrap text-ink-2">
      <Icon size={13} strokeWidth={2.25} aria-hidden className={cx('shrink-0', className)} />
      {text.status[status]}
    </span>
  )
}

/** The icon alone, where the word stands elsewhere. */
export function SubtaskStatusIcon({
  status,
  size,
}: Readonly<{ status: SubtaskStatus; size: number }>) {
  const [Icon, className] = LOOKS[status]
  return <Icon size={size} strokeWidth={2.25} aria-hidden className={cx('shrink-0', className)} />
}

export function Ordinal({ subtask, size = 22 }: Readonly<{ subtask: SubtaskView; size?: number }>) {
  return (
    <span
      aria-hidden
      className={cx(
        'inline-grid shrink-0 place-items-center rounded-md font-semibold',
        subtask.isFinal ? 'bg-accent text-accent-ink' : 'bg-surface-3 text-ink-2',
      )}
      style={{ width: size, height: size, fontSize: Math.round(size * 0.55) }}
    >
      {subtask.ordinal}
    </span>
  )
}

/** "Subtask 4, answered: 102, right. How much …? Accountant on stub 0.96, counts; …" */
export function subtaskSentence(subtask: SubtaskView, roleOf: (score: Score) => string): string {
  const { ordinal, status, result, candidates } = subtask
  const answer = result?.answer
  const verdict = result?.correct ?? null
  const stands = [
    names.name(ordinal),
    answer == null ? text.status[status] : `${text.status[status]}: ${answer}`,
    verdict === null ? null : strings.verdict[verdict ? 'right' : 'wrong'].toLowerCase(),
    subtask.isFinal ? text.final : null,
  ]
  const asked = candidates.map(({ score, isChosen }) =>
    [text.by(roleOf(score), score.endpoint), formatScore(score.score), isChosen ? text.counts : '']
      .filter(Boolean)
      .join(' '),
  )
  return [stands.filter(Boolean).join(', '), subtask.text, asked.join('; ')]
    .filter(Boolean)
    .join('. ')
}
