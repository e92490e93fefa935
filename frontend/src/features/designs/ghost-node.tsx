import { Handle, Position, useStore, type NodeProps } from '@xyflow/react'
import { Combine, Vote } from 'lucide-react'
import { memo } from 'react'

import type { GhostNodeType } from './design-nodes'
import { text } from '@/strings/designs'
import { FAR_ZOOM, farNameSize } from './views'

const ICONS = { summary: Combine, vote: Vote }

/** The summary agent or the count of a vote. */
export const GhostNode = memo(function GhostNode({ data }: NodeProps<GhostNodeType>) {
  const far = useStore(({ transform }) =>
    transform[2] < FAR_ZOOM ? farNameSize(transform[2]) : null,
  )
  const Icon = ICONS[data.kind]
  const { name, body } = text.canvas.ghosts[data.kind]
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} className="opacity-0" />
      <div className="flex size-full flex-col items-center justify-center gap-1 rounded-lg border-2 border-dashed border-line-strong bg-surface-0 p-2.5 text-center text-ink-2">
        <Icon size={far ?? 18} aria-hidden />
        <span
          className="leading-tight font-semibold"
          {...(far === null ? {} : { style: { fontSize: far } })}
        >
          {name}
        </span>
        {far === null ? <span className="text-xs">{body}</span> : null}
      </div>
    </>
  )
})
