import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react'
import { memo } from 'react'

import { cx } from '@/components/cx'
import { formatProbability } from '@/lib/format'

import { useCanvas } from './canvas-context'
import type { MessageEdge } from './flow-types'
import { useIsFar } from './node-frame'

/** Who reads whom, and, dashed, who was sent a message back. It draws itself in when it was just decided,
 * and flows while its reader works. */
export const MessageEdgeLine = memo(function MessageEdgeLine(props: EdgeProps<MessageEdge>) {
  const { source, target, data } = props
  const { selected } = useCanvas()
  const far = useIsFar()
  const touched = selected === source || selected === target
  const edge = data?.edge
  const probability = touched && !far ? edge?.probability : null
  if (!data) return null
  const { path, middle } = data.route
  const isBack = edge?.kind === 'back'
  return (
    <>
      <BaseEdge
        path={path}
        pathLength={isBack ? undefined : 1}
        className={cx(
          'edge-line',
          isBack ? 'edge-back' : edge?.kind !== 'message' && 'edge-plain',
          touched && 'edge-touched',
          data.fresh && !isBack && 'edge-enter',
        )}
      />
      {edge?.active ? <path d={path} fill="none" className="edge-flow" aria-hidden /> : null}
      {probability == null ? null : (
        <EdgeLabelRenderer>
          <span
            className="absolute rounded-sm border border-line bg-surface-1 px-1 text-xs text-ink-2"
            style={{
              transform: `translate(-50%, -50%) translate(${middle.x}px, ${middle.y}px)`,
            }}
          >
            {formatProbability(probability)}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  )
})
