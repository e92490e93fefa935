import {
  Ban,
  Check,
  CircleDashed,
  CirclePause,
  Hand,
  LoaderCircle,
  X,
  type LucideIcon,
} from 'lucide-react'
import type { ReactNode } from 'react'

import type { components } from '@/generated/api'
import { strings } from '@/strings/studio'

import { cx } from './cx'

export type Tone = 'neutral' | 'accent' | 'good' | 'bad' | 'warn'

const tones: Readonly<Record<Tone, string>> = {
  neutral: 'bg-surface-2 text-ink-2',
  accent: 'bg-accent-soft text-accent',
  good: 'bg-good-soft text-good',
  bad: 'bg-bad-soft text-bad',
  warn: 'bg-warn-soft text-warn',
}

interface BadgeProps {
  tone?: Tone
  icon?: ReactNode
  title?: string
  children: ReactNode
}

/** A word or two. A longer text is cut at the width that there is: show it whole elsewhere. */
export function Badge({ tone = 'neutral', icon, title, children }: Readonly<BadgeProps>) {
  return (
    <span
      title={title}
      className={cx(
        'inline-flex h-5 max-w-full shrink-0 items-center gap-1 rounded-sm px-1.5 text-xs font-medium',
        tones[tone],
      )}
    >
      {icon}
      <span className="truncate">{children}</span>
    </span>
  )
}

export type RunStatus = components['schemas']['Run']['status']

/** A training job can also stand still, a run wait for a person. */
export type WorkStatus = RunStatus | 'pausing' | 'paused'

const statuses: Readonly<Record<WorkStatus, readonly [tone: Tone, icon: LucideIcon]>> = {
  queued: ['neutral', CircleDashed],
  running: ['accent', LoaderCircle],
  pausing: ['warn', LoaderCircle],
  paused: ['warn', CirclePause],
  waiting: ['warn', Hand],
  succeeded: ['good', Check],
  failed: ['bad', X],
  cancelled: ['neutral', Ban],
}

export function StatusBadge({ status }: Readonly<{ status: WorkStatus }>) {
  const [tone, Icon] = statuses[status]
  return (
    <Badge
      tone={tone}
      icon={
        <Icon
          size={12}
          aria-hidden
          strokeWidth={2.5}
          className={status === 'running' || status === 'pausing' ? 'animate-spin' : ''}
        />
      }
    >
      {strings.status[status]}
    </Badge>
  )
}
