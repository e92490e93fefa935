import type { NodeProps } from '@xyflow/react'
import { Scissors, Wrench } from 'lucide-react'
import { memo } from 'react'

import { cx } from '@/components/cx'
import { agentSentence, FamilyTile, StatusIcon } from '@/components/run/agent-look'
import { useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'
import { useAgentNames, useSilence } from '@/components/run/use-agents'
import { readableText } from '@/graph/live-text'
import type { AgentStatus, AgentView } from '@/graph/run-view'
import { lastPart, shortText } from '@/graph/text'
import { tokensOf } from '@/graph/totals'
import { familyOf } from '@/lib/families'
import { formatCount, formatSeconds } from '@/lib/format'

import type { CardNode } from './flow-types'
import { FarLabel, NodeFrame, useIsFar } from './node-frame'

const EDGE_OF_CARD: Partial<Record<AgentStatus, string>> = {
  active: 'border-accent node-active',
  failed: 'border-bad',
  refused: 'border-warn border-dashed',
  removed: 'border-line-strong border-dashed opacity-60',
  waiting: 'border-line-strong/60 border-dashed',
  held: 'border-warn border-dashed',
}

export const AgentNode = memo(function AgentNode({ id, data }: NodeProps<CardNode>) {
  const agent = useRun((state) => state.attempt?.agents.get(id))
  const nameOf = useAgentNames()
  const far = useIsFar()
  if (!agent) return null
  const family = agent.family
  return (
    <NodeFrame
      id={id}
      fresh={data.fresh}
      label={agentSentence(agent, nameOf)}
      className={EDGE_OF_CARD[agent.status] ?? 'border-line-strong/40'}
    >
      <span
        aria-hidden
        className="h-[3px] w-full shrink-0"
        style={{ backgroundColor: familyOf(family).color }}
      />
      {far ? (
        <FarLabel
          name={nameOf(id)}
          icon={(scale) => (
            <span className="flex items-center gap-2">
              <FamilyTile family={family} size={30 * scale} />
              <StatusIcon status={agent.status} size={22 * scale} />
            </span>
          )}
        />
      ) : (
        <NearCard agent={agent} name={nameOf(id)} nameOf={nameOf} />
      )}
    </NodeFrame>
  )
})

interface NearProps {
  agent: AgentView
  name: string
  nameOf: (id: string) => string
}

function NearCard({ agent, name, nameOf }: Readonly<NearProps>) {
  return (
    <>
      <span className="flex items-center gap-2 px-2.5 pt-2">
        <FamilyTile family={agent.family} size={22} />
        <span
          className={cx(
            'min-w-0 truncate text-sm font-semibold',
            agent.status === 'removed' && 'line-through',
          )}
        >
          {agent.roleName}
        </span>
        <span className="-ml-1 flex-1 text-sm font-semibold">
          {name.slice(agent.roleName.length)}
        </span>
        <StatusIcon status={agent.status} />
      </span>
      <span className="min-h-0 flex-1 px-2.5 pt-1.5 text-xs text-ink-2">
        <CardText agent={agent} nameOf={nameOf} />
      </span>
      <CardNumbers agent={agent} />
    </>
  )
}

/** Three lines, always: the newest words while it writes, the first ones afterwards. */
function CardText({ agent, nameOf }: Readonly<Omit<NearProps, 'name'>>) {
  const live = useRun((state) => state.attempt?.live.get(agent.id))
  const isWriting = agent.status === 'active'
  const running = agent.tools.find((call) => call.endedAt === null)
  const written = live ? readableText(live) : ''
  const silence = useSilence()
  if (isWriting && running)
    return <Lines className="font-medium text-accent">{text.usesTool(running.tool)}</Lines>
  if (isWriting && written)
    return (
      <span className="flex h-[3.375rem] flex-col justify-end overflow-hidden">
        <span className="text-ink">
          {lastPart(plain(written), 220)}
          <span aria-hidden className="caret" />
        </span>
      </span>
    )
  return (
    <Lines>
      {isWriting && !agent.message && !agent.failure ? silence : quietText(agent, written, nameOf)}
    </Lines>
  )
}

function quietText(agent: AgentView, written: string, nameOf: (id: string) => string): string {
  if (agent.failure) return agent.failure.message
  if (agent.message) return shortText(plain(agent.message), 180)
  if (agent.status === 'stopped') return written ? shortText(written, 180) : text.stoppedNote
  if (agent.status === 'removed') return text.removedNote
  if (agent.status === 'held') return text.heldNote
  return agent.reads.length > 0
    ? text.waitingFor(agent.reads.map(nameOf).join(', '))
    : text.waitingStart
}

/** Markdown's marks say nothing on a card; a single asterisk may well be a product. */
const plain = (markdown: string): string => markdown.replaceAll(/```\w*|`|\*\*|^#+ /gm, '')

function Lines({ children, className }: Readonly<{ children: string; className?: string }>) {
  return <span className={cx('line-clamp-3', className)}>{children}</span>
}

function CardNumbers({ agent }: Readonly<{ agent: AgentView }>) {
  const tokens = tokensOf(agent.usage)
  const ended = agent.endedAt !== null
  return (
    <span className="flex h-7 items-center gap-2 px-2.5 text-xs text-ink-3">
      {ended ? (
        <>
          <span>{text.tokens(formatCount(tokens))}</span>
          <span aria-hidden>·</span>
          <span>{formatSeconds(agent.seconds)}</span>
        </>
      ) : (
        <span>{text.status[agent.status]}</span>
      )}
      <span className="ml-auto flex items-center gap-1.5">
        {agent.cached ? <span className="font-medium">{text.cached}</span> : null}
        {agent.truncated ? <Scissors size={12} aria-hidden className="text-warn" /> : null}
        {agent.tools.length > 0 ? (
          <span className="flex items-center gap-0.5">
            <Wrench size={12} aria-hidden />
            {agent.tools.length}
          </span>
        ) : null}
      </span>
    </span>
  )
}
