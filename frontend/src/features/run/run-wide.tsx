import { AgentPanel } from '@/components/run/agent-panel'
import { GraphCanvas } from '@/components/run/canvas/graph-canvas'
import { useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'
import { Tabs } from '@/components/tabs'

import { TimelineView, TraceTree } from './parts'
import { useRunAddress, useTraceSearch } from './run-address'
import { ReplayPart } from './replay-part'
import { SidePanel } from './side-panel'

/** On a desk: the graph, trace or timeline, and beside it how it was built or the chosen agent. */
export function RunWide() {
  const { tab, agent, openTab, openAgent } = useRunAddress()
  const search = useTraceSearch()
  const exists = useRun((state) => agent !== null && state.attempt?.agents.has(agent) === true)
  const selected = exists ? agent : null
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
            {
              key: 'graph',
              label: text.tabs.graph,
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
          <SidePanel selected={null} onSelect={openAgent} />
        ) : (
          <AgentPanel key={selected} id={selected} onSelect={openAgent} />
        )}
      </aside>
    </div>
  )
}
