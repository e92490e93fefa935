import {
  Check,
  CircleDashed,
  CircleSlash,
  LoaderCircle,
  OctagonPause,
  PenLine,
  X,
  type LucideIcon,
} from 'lucide-react'
import { useState } from 'react'

import { Button } from '@/components/button'
import { cx } from '@/components/cx'
import { FamilyTile, StatusIcon } from '@/components/run/agent-look'
import { useAgentNames, useAgents } from '@/components/run/use-agents'
import type { StageSubtask } from '@/generated/events'
import { text as words } from '@/strings/run'

import type { Phase } from './stages'
import { text } from './words'

type Look = readonly [icon: LucideIcon, className: string]

const STATUS: Readonly<Record<StageSubtask['status'], Look>> = {
  TODO: [CircleDashed, 'text-ink-3'],
  DONE: [Check, 'text-good'],
  FAILED: [X, 'text-bad'],
  'NEED-REFINE': [PenLine, 'text-warn'],
}

const PHASE: Readonly<Record<Phase, Look>> = {
  choosing: [LoaderCircle, 'text-accent animate-spin'],
  working: [LoaderCircle, 'text-accent animate-spin'],
  judging: [LoaderCircle, 'text-accent animate-spin'],
  success: [Check, 'text-good'],
  refine: [PenLine, 'text-warn'],
  fail: [X, 'text-bad'],
  unjudged: [CircleSlash, 'text-ink-3'],
  stopped: [OctagonPause, 'text-ink-3'],
}

/** How a subtask stands, as an icon and a word. */
export const StatusLabel = ({ status }: Readonly<{ status: StageSubtask['status'] }>) => (
  <Label look={STATUS[status]}>{text.status[status]}</Label>
)

/** How a stage stands: its verdict once there is one. */
export const PhaseLabel = ({ phase }: Readonly<{ phase: Phase }>) => (
  <Label look={PHASE[phase]}>{text.phase[phase]}</Label>
)

function Label({ look: [Icon, className], children }: Readonly<{ look: Look; children: string }>) {
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-xs font-medium whitespace-nowrap text-ink-2">
      <Icon size={13} strokeWidth={2.25} aria-hidden className={cx('shrink-0', className)} />
      {children}
    </span>
  )
}

interface AgentProps {
  id: string
  /** The role alone, where it stands in its stage. */
  isBrief?: boolean
  onAgent: (id: string) => void
}

/** Leads to an agent; shows how it stands and how often it called tools. */
export function AgentLink({ id, isBrief = false, onAgent }: Readonly<AgentProps>) {
  const agent = useAgents().get(id)
  const nameOf = useAgentNames()
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-xs">
      <FamilyTile family={agent?.family ?? null} size={18} />
      <button
        type="button"
        aria-label={text.plan.open(nameOf(id))}
        onClick={() => onAgent(id)}
        disabled={!agent}
        className="min-w-0 truncate rounded-sm text-left font-medium text-accent underline underline-offset-2"
      >
        {isBrief ? (agent?.roleName ?? nameOf(id)) : nameOf(id)}
      </button>
      {agent ? <StatusIcon status={agent.status} size={13} named /> : null}
      {agent && agent.tools.length > 0 ? (
        <span className="shrink-0 text-ink-3">{text.detail.tools(agent.tools.length)}</span>
      ) : null}
    </span>
  )
}

const SHORTENED = {
  2: { chars: 160, className: 'line-clamp-2' },
  4: { chars: 220, className: 'line-clamp-4' },
} as const

interface LongTextProps {
  lines?: keyof typeof SHORTENED
  children: string
}

/** What was written; of a long text the first lines, until one asks for all of it. */
export function LongText({ lines = 4, children: whole }: Readonly<LongTextProps>) {
  const [isOpen, setIsOpen] = useState(false)
  const { chars, className } = SHORTENED[lines]
  const isLong = whole.length > chars || whole.split('\n').length > lines
  return (
    <div className="flex min-w-0 flex-col items-start gap-1">
      <p
        className={cx(
          'max-w-full wrap-anywhere whitespace-pre-wrap',
          isLong && !isOpen && className,
        )}
      >
        {whole}
      </p>
      {isLong ? (
        <Button variant="quiet" size="sm" aria-expanded={isOpen} onPress={() => setIsOpen(!isOpen)}>
          {isOpen ? words.less : words.whole}
        </Button>
      ) : null}
    </div>
  )
}
