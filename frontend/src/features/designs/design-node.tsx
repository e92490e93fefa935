import { Handle, Position, useStore, type NodeProps } from '@xyflow/react'
import { memo } from 'react'

import { cx } from '@/components/cx'
import { FamilyTile } from '@/components/run/agent-look'
import { shortText } from '@/graph/text'
import { familyOf } from '@/lib/families'

import { AgentMarks } from './agent-marks'
import type { AgentNodeType } from './design-nodes'
import { text } from '@/strings/designs'
import { ProblemMark } from './problem-mark'
import { useProblemsOf } from './use-problems'
import { FAR_ZOOM, farNameSize } from './views'

const PROMPT_CHARS = 120

/** An agent as it is drawn: its name, what it is told, its tools, and what is wrong with it. */
export const DesignNode = memo(function DesignNode({ data, selected }: NodeProps<AgentNodeType>) {
  const { agent } = data
  const { role } = agent
  const found = useProblemsOf(agent.id)
  const far = useStore(({ transform }) =>
    transform[2] < FAR_ZOOM ? farNameSize(transform[2]) : null,
  )
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
        {far === null ? (
          <>
            <span className="flex items-center gap-2 px-2.5 pt-2">
              <FamilyTile family={role.family} size={22} />
              <span className="min-w-0 flex-1 truncate text-sm font-semibold">{name}</span>
              <ProblemMark id={agent.id} problems={found} size={15} />
            </span>
            <span className="min-h-0 flex-1 px-2.5 pt-1.5 text-xs text-ink-2">
              <span className="line-clamp-3">
                {shortText(role.prompt, PROMPT_CHARS) || text.canvas.noPrompt}
              </span>
            </span>
            <AgentMarks agent={agent} size={null} />
          </>
        ) : (
          <span className="flex size-full flex-col items-center justify-center gap-1.5 px-2 text-center leading-[1.12] font-semibold">
            <span className="flex max-w-full items-center gap-2">
              <span className="line-clamp-2 min-w-0" style={{ fontSize: far }}>
                {name}
              </span>
              <ProblemMark id={agent.id} problems={found} size={far} />
            </span>
            <AgentMarks agent={agent} size={Math.round(far * 0.8)} />
          </span>
        )}
      </div>
      <Handle type="source" position={Position.Right} className="design-handle" />
    </>
  )
})
