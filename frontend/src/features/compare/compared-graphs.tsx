import { useEffect, useRef } from 'react'

import { Card } from '@/components/card'
import type { Overlay } from '@/graph/overlay'
import { useReducedMotion, useWide } from '@/lib/use-wide'

import { AgentDiff } from './agent-diff'
import { AgentList } from './agent-list'
import { text } from '@/strings/compare'
import { OverlayCanvas } from './overlay-canvas'

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
