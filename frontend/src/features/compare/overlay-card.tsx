import type { EdgeProps, NodeProps } from '@xyflow/react'
import { memo } from 'react'

import { cx } from '@/components/cx'
import { useCanvas } from '@/components/run/canvas/canvas-context'
import { FarLabel, NodeFrame, useIsFar } from '@/components/run/canvas/node-frame'
import { FamilyTile } from '@/components/run/agent-look'
import { isSaidOtherwise, type OverlayNode } from '@/graph/overlay'
import type { AgentView } from '@/graph/run-view'
import { tokensOf } from '@/graph/totals'
import { formatCount, formatSeconds } from '@/lib/format'

import { text } from '@/strings/compare'
import type { OverlayCard, OverlayLine } from './overlay-flow'
import { sideText } from './sentence'
import { BORDERS, DASHES, INKS, STROKES } from './side-look'

/** An agent of either run or of both. */
export const OverlayCardView = memo(function OverlayCardView({ id, data }: NodeProps<OverlayCard>) {
  const { node, sentence } = data
  const far = useIsFar()
  const family = (node.left ?? node.right)?.family ?? null
  return (
    <NodeFrame id={id} label={sentence} fresh={false} className={BORDERS[node.side]}>
      {far ? (
        <FarLabel
          name={node.name}
          icon={(scale) => <FamilyTile family={family} size={30 * scale} />}
        />
      ) : (
        <Near node={node} family={family} />
      )}
    </NodeFrame>
  )
})

function Near({ node, family }: Readonly<{ node: OverlayNode; family: string | null }>) {
  return (
    <span className="flex size-full flex-col gap-1 p-2.5 text-xs">
      <span className="flex items-center gap-2">
        <FamilyTile family={family} size={22} />
        <span className="min-w-0 flex-1 truncate text-sm font-semibold">{node.name}</span>
      </span>
      <span className={cx('flex-1', isSaidOtherwise(node) ? 'text-warn' : INKS[node.side])}>
        {sideText(node)}
      </span>
      <Took name={text.left} agent={node.left} />
      <Took name={text.right} agent={node.right} />
    </span>
  )
}

function Took({ name, agent }: Readonly<{ name: string; agent: AgentView | null }>) {
  if (!agent) return null
  return (
    <span className="flex justify-between gap-2 text-ink-3">
      <span>{name}</span>
      <span className="truncate">
        {text.card(formatCount(tokensOf(agent.usage)), formatSeconds(agent.seconds))}
      </span>
    </span>
  )
}

export const OverlayLineView = memo(function OverlayLineView(props: EdgeProps<OverlayLine>) {
  const { source, target, data } = props
  const { selected } = useCanvas()
  if (!data) return null
  const touched = selected === source || selected === target
  return (
    <path
      d={data.path}
      fill="none"
      strokeWidth={touched ? 3 : 1.5}
      strokeDasharray={data.side === 'both' ? undefined : DASHES}
      className={STROKES[data.side]}
    />
  )
})
