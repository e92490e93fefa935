import { GraphCanvas } from '@/components/run/canvas/graph-canvas'
import { text } from '@/strings/run'
import { Tabs } from '@/components/tabs'

import { AgentPanel, TimelineView, TraceTree } from './parts'
import { useRunAddress, useSelected, useTraceSearch } from './run-address'
import { ReplayPart } from './replay-part'
import { SidePanel } from './side-panel'

/** On a desk: the graph, trace or timeline, and beside it how it was built or the chosen agent. */
export function RunWide() {
  const { tab, tabs, openTab, openAgent, openOwn } = useRunAddress()
  const search = useTraceSearch()
  const { agent: selected, chosen } = useSelected()
  return (
    <div className="flex min-h-0 flex-1 gap-3 px-6 py-3">
      <div className="flex min-h-[26rem] min-w-0 flex-1 flex-col overflow-hidden rounded-lg border border-line bg-surface-1">
        <Tabs
          label={text.tabs.label}
          selected={tab === 'build' ? 'graph' : tab}
          onSelect={openTab}
          className="flex-1"
          panelClassName="overflow-hidden"
          items={[
            ...tabs.map((own) => ({
              key: own.key,
              label: own.words.tab,
              content: (
                <own.View
                  selected={chosen}
                  // The agent lies over what is chosen, so it closes first.
                  onSelect={(id) => openOwn(own, selected === null ? id : (id ?? chosen))}
                />
              ),
            })),
            {
              key: 'graph',
              label: tabs[0]?.words.agents ?? text.tabs.graph,
              content: <GraphCanvas selected={selected} onSelect={openAgent} />,
            },
            {
              key: 'trace',
              label: text.tabs.trace,
              content: <TraceTree selected={selected} onSelect={openAgent} search={search} />,
            },
            {
              key: 'timeline',
              label: text.tabs.timeline,
              content: <TimelineView selected={selected} onSelect={openAgent} />,
            },
          ]}
        />
        <ReplayPart />
      </div>
      <aside
        data-tour="why"
        className="w-[22rem] shrink-0 overflow-auto rounded-lg border border-line bg-surface-1 xl:w-[24rem]"
      >
        {selected === null ? (
          <Beside />
        ) : (
          <AgentPanel key={selected} id={selected} onSelect={openAgent} onOwn={openOwn} />
        )}
      </aside>
    </div>
  )
}

/** Beside the view, where no agent is chosen. */
function Beside() {
  const { own, openAgent, openOwn } = useRunAddress()
  const { chosen } = useSelected()
  if (!own) return <SidePanel selected={null} onSelect={openAgent} />
  const open = (id: string | null): void => openOwn(own, id)
  if (chosen === null || !own.Panel)
    return <own.Side selected={chosen} onSelect={open} onAgent={openAgent} />
  return <own.Panel key={chosen} id={chosen} onSelect={open} onAgent={openAgent} />
}
