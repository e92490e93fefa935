import type { ReactNode } from 'react'

import { Dialog } from '@/components/dialog'
import { GraphCanvas } from '@/components/run/canvas/graph-canvas'
import { text } from '@/strings/run'
import { useAgentNames } from '@/components/run/use-agents'
import { Tabs } from '@/components/tabs'

import { AgentPanel, TimelineView, TraceTree } from './parts'
import { useRunAddress, useSelected, useTraceSearch } from './run-address'
import { ReplayPart } from './replay-part'
import { SidePanel, useFamilySide } from './side-panel'

/** On a phone: the graph on top, the panels as tabs under it, an agent as a sheet from below. */
export function RunStacked() {
  const { tab, tabs, own, openTab, openAgent, openOwn } = useRunAddress()
  const search = useTraceSearch()
  const side = useFamilySide()
  const { agent: selected, chosen } = useSelected()
  return (
    <div className="flex flex-1 flex-col gap-3 px-4 py-3">
      <div className="flex h-[52dvh] min-h-72 flex-col overflow-hidden rounded-lg border border-line">
        <div className="min-h-0 flex-1">
          {own ? (
            <own.View key={own.key} selected={chosen} onSelect={(id) => openOwn(own, id)} />
          ) : (
            <GraphCanvas selected={selected} onSelect={openAgent} />
          )}
        </div>
        <ReplayPart />
      </div>
      <div className="overflow-hidden rounded-lg border border-line bg-surface-1">
        <Tabs
          label={text.tabs.label}
          selected={tab === 'graph' ? 'build' : tab}
          onSelect={openTab}
          items={[
            ...tabs.map((each) => ({
              key: each.key,
              label: each.words.tab,
              content: (
                <each.Side
                  selected={chosen}
                  onSelect={(id) => openOwn(each, id)}
                  onAgent={openAgent}
                />
              ),
            })),
            {
              key: 'build',
              label: side?.label ?? text.tabs.team,
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
      <Sheet />
    </div>
  )
}

/** No higher than the screen: of a list that is as long as its rows, every row is in view and drawn. */
function Bounded({ children }: Readonly<{ children: ReactNode }>) {
  return <div className="flex max-h-[82dvh] min-h-0 flex-col">{children}</div>
}

/** The chosen agent. Under it, to come back to, what is chosen in the family's tab, if it has a panel. */
function Sheet() {
  const { own, openAgent, openOwn } = useRunAddress()
  const { agent, chosen, chosenName } = useSelected()
  const Panel = chosen === null ? undefined : own?.Panel
  const nameOf = useAgentNames()
  const open = (id: string | null): void => {
    if (own) openOwn(own, id)
  }
  return (
    <Dialog
      title={agent === null ? (chosenName ?? '') : nameOf(agent)}
      isOpen={agent !== null || Panel !== undefined}
      onClose={() => (agent === null ? open(null) : openAgent(null))}
    >
      <div className="-m-4">
        {agent !== null ? (
          <AgentPanel id={agent} onSelect={openAgent} onOwn={openOwn} bare />
        ) : Panel && chosen !== null ? (
          <Panel id={chosen} onSelect={open} onAgent={openAgent} bare />
        ) : null}
      </div>
    </Dialog>
  )
}
