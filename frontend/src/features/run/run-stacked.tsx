import type { ReactNode } from 'react'

import { Dialog } from '@/components/dialog'
import { AgentPanel } from '@/components/run/agent-panel'
import { GraphCanvas } from '@/components/run/canvas/graph-canvas'
import { useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'
import { useAgentNames } from '@/components/run/use-agents'
import { Tabs } from '@/components/tabs'

import { TimelineView, TraceTree } from './parts'
import { useRunAddress, useTraceSearch } from './run-address'
import { ReplayPart } from './replay-part'
import { SidePanel, useIsConstructed } from './side-panel'

/** On a phone: the graph on top, the panels as tabs under it, an agent as a sheet from below. */
export function RunStacked() {
  const { tab, agent, openTab, openAgent } = useRunAddress()
  const search = useTraceSearch()
  const exists = useRun((state) => agent !== null && state.attempt?.agents.has(agent) === true)
  const isConstructed = useIsConstructed()
  const nameOf = useAgentNames()
  const selected = exists ? agent : null
  return (
    <div className="flex flex-1 flex-col gap-3 px-4 py-3">
      <div className="flex h-[52dvh] min-h-72 flex-col overflow-hidden rounded-lg border border-line">
        <div className="min-h-0 flex-1">
          <GraphCanvas selected={selected} onSelect={openAgent} />
        </div>
        <ReplayPart />
      </div>
      <div className="overflow-hidden rounded-lg border border-line bg-surface-1">
        <Tabs
          label={text.tabs.label}
          selected={tab === 'graph' ? 'build' : tab}
          onSelect={openTab}
          items={[
            {
              key: 'build',
              label: isConstructed ? text.tabs.build : text.tabs.team,
              content: (
                <div data-tour="why">
                  <SidePanel selected={selected} onSelect={openAgent} />
                </div>
              ),
            },
            {
              key: 'trace',
              label: text.tabs.trace,
              content: (
                <Bounded>
                  <TraceTree selected={selected} onSelect={openAgent} search={search} />
                </Bounded>
              ),
            },
            {
              key: 'timeline',
              label: text.tabs.timeline,
              content: (
                <Bounded>
                  <TimelineView selected={selected} onSelect={openAgent} />
                </Bounded>
              ),
            },
          ]}
        />
      </div>
      <Dialog
        title={selected === null ? '' : nameOf(selected)}
        isOpen={selected !== null}
        onClose={() => openAgent(null)}
      >
        {selected === null ? null : (
          <div className="-m-4">
            <AgentPanel id={selected} onSelect={openAgent} bare />
          </div>
        )}
      </Dialog>
    </div>
  )
}

/** No higher than the screen: of a list that is as long as its rows, every row is in view and drawn. */
function Bounded({ children }: Readonly<{ children: ReactNode }>) {
  return <div className="flex max-h-[82dvh] min-h-0 flex-col">{children}</div>
}
