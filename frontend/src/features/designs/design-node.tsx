import { Handle, Position, useStore, type NodeProps } from '@xyflow/react'
import { Cpu, MessageSquareReply, OctagonPause, TriangleAlert, Wrench } from 'lucide-react'
import { memo } from 'react'

import { cx } from '@/components/cx'
import { FamilyTile } from '@/components/run/agent-look'
import { shortText } from '@/graph/text'
import { familyOf } from '@/lib/families'

import type { DesignNodeType } from './design-nodes'
import { useDesign } from './design-store'
import { text } from './design-strings'
import type { DesignSpec } from './edits'
import { problemsOf, useProblems } from './use-problems'

/** Below this zoom a card shows its name alone, large. */
const FAR_ZOOM = 0.6
const PROMPT_CHARS = 120

/** An agent as it is drawn: its name, what it is told, its tools, and what is wrong with it. */
export const DesignNode = memo(function DesignNode({ data, selected }: NodeProps<DesignNodeType>) {
  const { agent } = data
  const { role } = agent
  const found = problemsOf(useProblems(), agent.id)
  const answers = useDesign(({ history }) => markOf(history.present.spec, agent.id))
  const stops = useDesign((state) => state.breakpoints.has(agent.id))
  const far = useStore((state) => state.transform[2] < FAR_ZOOM)
  const isError = found.some(({ severity }) => severity === 'error')
  const name = role.name.trim() || text.canvas.unnamed
  return (
    <>
      <Handle type="target" position={Position.Left} className="design-handle" />
      <div
        className={cx(
          'node-card flex size-full flex-col overflow-hidden rounded-lg border bg-surface-1 text-left',
          selected ? 'border-accent ring-2 ring-accent' : 'border-line-strong/40',
          !selected && isError && 'border-bad',
        )}
      >
        <span
          aria-hidden
          className="h-[3px] w-full shrink-0"
          style={{ backgroundColor: familyOf(role.family).color }}
        />
        {far ? (
          <span className="flex size-full items-center justify-center px-2 text-center text-[28px] leading-tight font-semibold">
            <span className="line-clamp-3">{name}</span>
            {found.length > 0 ? (
              <TriangleAlert
                size={28}
                aria-label={text.canvas.problems(found.length)}
                className={cx('ml-2 shrink-0', isError ? 'text-bad' : 'text-warn')}
              />
            ) : null}
          </span>
        ) : (
          <>
            <span className="flex items-center gap-2 px-2.5 pt-2">
              <FamilyTile family={role.family} size={22} />
              <span className="min-w-0 flex-1 truncate text-sm font-semibold">{name}</span>
              {stops ? (
                <OctagonPause size={15} aria-label={text.canvas.stops} className="text-warn" />
              ) : null}
              {found.length > 0 ? (
                <TriangleAlert
                  size={15}
                  aria-label={text.canvas.problems(found.length)}
                  className={isError ? 'text-bad' : 'text-warn'}
                />
              ) : null}
            </span>
            <span className="min-h-0 flex-1 px-2.5 pt-1.5 text-xs text-ink-2">
              <span className="line-clamp-3">
                {shortText(role.prompt, PROMPT_CHARS) || text.canvas.noPrompt}
              </span>
            </span>
            <Marks agent={agent} answers={answers} />
          </>
        )}
      </div>
      <Handle type="source" position={Position.Right} className="design-handle" />
    </>
  )
})

/** What it has to do with the answer. */
function markOf({ answer_from: answering, vote }: DesignSpec, id: string): string | null {
  if (vote.includes(id)) return text.canvas.votes
  return answering === id ? text.canvas.answers : null
}

function Marks({
  agent,
  answers,
}: Readonly<{ agent: DesignNodeType['data']['agent']; answers: string | null }>) {
  const { tools } = agent.role
  return (
    <span className="flex h-7 items-center gap-3 px-2.5 text-xs text-ink-3">
      {answers ? (
        <span className="flex items-center gap-1 font-medium text-accent">
          <MessageSquareReply size={12} aria-hidden />
          {answers}
        </span>
      ) : null}
      {tools.length > 0 ? (
        <span className="flex min-w-0 items-center gap-1">
          <Wrench size={12} aria-hidden className="shrink-0" />
          <span className="truncate">{tools.join(', ')}</span>
        </span>
      ) : null}
      {agent.endpoint ? (
        <span className="flex min-w-0 items-center gap-1">
          <Cpu size={12} aria-hidden className="shrink-0" />
          <span className="truncate">{agent.endpoint}</span>
        </span>
      ) : null}
    </span>
  )
}
