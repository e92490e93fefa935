import { BaseEdge, getBezierPath, type EdgeProps } from '@xyflow/react'
import { memo } from 'react'

import type { DesignEdgeType } from './design-nodes'
import { backPath, leadsBack } from './edge-path'
import { cardSize } from './edits'

/** Who reads whom; the arrow points at the reader. */
export const DesignEdge = memo(function DesignEdge(props: EdgeProps<DesignEdgeType>) {
  const { sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, markerEnd } = props
  const [source, target] = [
    { x: sourceX, y: sourceY },
    { x: targetX, y: targetY },
  ]
  const path = leadsBack(source, target)
    ? backPath(source, target, cardSize.height)
    : getBezierPath({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition })[0]
  return <BaseEdge path={path} markerEnd={markerEnd} />
})
