import { useEffect, useRef } from 'react'

import { Card } from '@/components/card'
import { FamilyTile } from '@/components/run/agent-look'
import { VirtualList } from '@/components/virtual-list'
import { isSaidOtherwise, type Overlay, type OverlayNode } from '@/graph/overlay'
import type { AgentView } from '@/graph/run-view'
import { tokensOf } from '@/graph/totals'
import { formatCost, formatCount, formatSeconds } from '@/lib/format'
import { useReducedMotion, useWide } from '@/lib/use-wide'
import { text } from '@/strings/compare'

import { AgentDiff } from './agent-diff'
import { OverlayCanvas } from './overlay-canvas'
import { sideText } from './sentence'
import { INKS } from './side-look'

interface Props {
  overlay: Overlay
  agent: string | null
  onChoose: (id: string | null) => void
}

/** Both graphs, and beside them, on a phone under them, the agent that was chosen in them. */
export function ComparedGraphs({ overlay, agent, onChoose }: Readonly<Props>) {
  const chosen = overlay.nodes.find(({ id }) => id === agent) ?? null
  const panel = useBroughtIntoView(chosen?.id ?? null)
  if (overlay.nodes.length === 0)
    return (
      <Card title={text.graph}>
        <p className="text-ink-2">{text.noGraph}</p>
      </Card>
    )
  return (
    <div className="grid gap-4 lg:h-[44rem] lg:max-h-[85dvh] lg:min-h-[26rem] lg:grid-cols-[minmax(0,1fr)_26rem]">
      <div className="h-[60dvh] min-h-72 overflow-hidden rounded-lg border border-line bg-surface-1 lg:h-auto lg:min-h-0">
        <OverlayCanvas overlay={overlay} selected={chosen?.id ?? null} onSelect={onChoose} />
      </div>
      <aside
        aria-label={text.agents}
        className="overflow-auto rounded-lg border border-line bg-surface-1"
      >
        {chosen ? (
          <AgentDiff key={chosen.id} ref={panel} node={chosen} onClose={() => onChoose(null)} />
        ) : (
          <AgentList overlay={overlay} onChoose={onChoose} />
        )}
      </aside>
    </div>
  )
}

/** Where it does not stand beside the graph, whoever chooses an agent is taken to it. An agent that
 * the address named from the start is not. */
function useBroughtIntoView(chosen: string | null) {
  const panel = useRef<HTMLElement>(null)
  const last = useRef(chosen)
  const wide = useWide()
  const still = useReducedMotion()
  useEffect(() => {
    if (chosen === last.current) return
    last.current = chosen
    if (wide || !panel.current) return
    panel.current.focus({ preventScroll: true })
    panel.current.scrollIntoView({ block: 'start', behavior: still ? 'auto' : 'smooth' })
  }, [chosen, still, wide])
  return panel
}

const ROW_HEIGHT = 65
const COLUMNS = 'grid grid-cols-[minmax(0,1fr)_6.25rem_6.25rem] gap-x-2 px-4'

interface AgentListProps {
  overlay: Overlay
  onChoose: (id: string) => void
}

/** Every agent of either run with what it took on each side. */
function AgentList({ overlay, onChoose }: Readonly<AgentListProps>) {
  return (
    <div className="flex h-full min-h-0 flex-col">
      <p className="px-4 py-3 text-ink-2">{text.chooseAgent}</p>
      <div aria-hidden className={`${COLUMNS} pb-1.5 text-xs font-semibold text-ink-3`}>
        <span />
        <span className="text-right">{text.left}</span>
        <span className="text-right">{text.right}</span>
      </div>
      <VirtualList
        rows={overlay.nodes}
        rowHeight={ROW_HEIGHT}
        keyOf={({ id }) => id}
        className="min-h-0 flex-1 max-lg:max-h-[60dvh]"
        render={(node) => (
          <button
            type="button"
            onClick={() => onChoose(node.id)}
            className={`${COLUMNS} relative w-full items-center border-t border-line py-1.5 text-left text-xs hover:bg-surface-2 focus-visible:-outline-offset-2`}
            style={{ height: ROW_HEIGHT }}
          >
            <Name node={node} />
            <Took side={text.left} agent={node.left} />
            <Took side={text.right} agent={node.right} />
          </button>
        )}
      />
    </div>
  )
}

function Name({ node }: Readonly<{ node: OverlayNode }>) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <FamilyTile family={(node.left ?? node.right)?.family ?? null} size={22} />
      <span className="flex min-w-0 flex-col">
        <span className="truncate text-sm font-medium">{node.name}</span>
        <span className={`truncate ${isSaidOtherwise(node) ? 'text-warn' : INKS[node.side]}`}>
          {sideText(node)}
        </span>
      </span>
    </span>
  )
}

function Took({ side, agent }: Readonly<{ side: string; agent: AgentView | null }>) {
  if (!agent) return <span />
  return (
    <span className="flex flex-col text-right text-ink-2">
      <span className="sr-only">{side}</span>
      <span>{text.tokens(formatCount(tokensOf(agent.usage)))}</span>
      <span>{formatCost(agent.usage?.cost)}</span>
      <span>{formatSeconds(agent.seconds)}</span>
    </span>
  )
}
