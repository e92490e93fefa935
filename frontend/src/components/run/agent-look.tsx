import {
  Ban,
  Check,
  CircleDashed,
  CircleSlash,
  Hand,
  LoaderCircle,
  OctagonPause,
  Recycle,
  X,
  type LucideIcon,
} from 'lucide-react'

import { cx } from '@/components/cx'
import { FAMILY_ICONS } from '@/components/family-mark'
import type { AgentStatus, AgentView } from '@/graph/run-view'
import { tokensOf } from '@/graph/totals'
import { familyOf } from '@/lib/families'
import { formatCount } from '@/lib/format'

import { text } from '@/strings/run'

const STATUS: Readonly<Record<AgentStatus, readonly [icon: LucideIcon, className: string]>> = {
  waiting: [CircleDashed, 'text-ink-3'],
  held: [Hand, 'text-warn'],
  active: [LoaderCircle, 'text-accent animate-spin'],
  done: [Check, 'text-good'],
  reused: [Recycle, 'text-good'],
  refused: [CircleSlash, 'text-warn'],
  failed: [X, 'text-bad'],
  stopped: [OctagonPause, 'text-ink-3'],
  removed: [Ban, 'text-ink-3'],
}

export function StatusIcon({
  status,
  size = 14,
  named = false,
}: Readonly<{ status: AgentStatus; size?: number; named?: boolean }>) {
  const [Icon, className] = STATUS[status]
  return (
    <Icon
      size={size}
      strokeWidth={2.25}
      className={cx('shrink-0', className)}
      {...(named ? { role: 'img', 'aria-label': text.status[status] } : { 'aria-hidden': true })}
    />
  )
}

/** The family's icon on its tint. */
export function FamilyTile({
  family: slug,
  size = 24,
}: Readonly<{ family: string | null; size?: number }>) {
  const family = familyOf(slug)
  const Icon = FAMILY_ICONS[family.key]
  return (
    <span
      aria-hidden
      className="inline-grid shrink-0 place-items-center rounded-md"
      style={{ width: size, height: size, color: family.color, backgroundColor: family.soft }}
    >
      <Icon size={Math.round(size * 0.58)} />
    </span>
  )
}

/** "Algebraist, done, 212 tokens, reads Planner" */
export function agentSentence(agent: AgentView, nameOf: (id: string) => string): string {
  const tokens = tokensOf(agent.usage)
  return [
    nameOf(agent.id),
    text.status[agent.status],
    tokens === null ? null : text.tokens(formatCount(tokens)),
    agent.reads.length > 0 ? text.reads(agent.reads.map(nameOf).join(', ')) : null,
  ]
    .filter(Boolean)
    .join(', ')
}
