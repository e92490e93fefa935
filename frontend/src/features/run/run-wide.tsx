import { GraphCanvas } from '@/components/run/canvas/graph-canvas'
import { useHasSubtasks } from '@/components/run/subtasks/use-subtasks'
import { SubtaskList, SubtaskPanel, SubtaskView } from '@/components/run/subtasks/later-views'
import { text } from '@/strings/run'
import { text as subtaskText } from '@/strings/subtasks'
import { Tabs } from '@/components/tabs'

import { AgentPanel, TimelineView, TraceTree } from './parts'
import { useRunAddress, useSelected, useTraceSearch } from './run-address'
import { ReplayPart } from './replay-part'
import { SidePanel } from './side-panel'

/** On a desk: the graph, trace or timeline, and beside it how it was built or the chosen agent. */
export function RunWide() {
  const { tab, openTab, openAgent, openSubtask } = useRunAddress()
  const search = useTraceSearch()
  const hasSubtasks = useHasSubtasks()
  const { agent: selected, subtask } = useSelected()
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
            ...(hasSubtasks
              ? [
                  {
                    key: 'subtasks',
                    label: subtaskText.tab,
                    content: (
                      <SubtaskView
                        selected={subtask}
                        // What lies over the subtask closes first.
                        onSelect={(id) => openSubtask(selected === null ? id : (id ?? subtask))}
                      />
                    ),
                  },
                ]
              : []),
            {
              key: 'graph',
              label: hasSubtasks ? subtaskText.agents : text.tabs.graph,
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
          <Beside isSubtasks={tab === 'subtasks'} subtask={subtask} />
        ) : (
          <AgentPanel key={selected} id={selected} onSelect={openAgent} onSubtask={openSubtask} />
        )}
      </aside>
    </div>
  )
}

/** Beside the view, where no agent is chosen. */
function Beside({
  isSubtasks,
  subtask,
}: Readonly<{ isSubtasks: boolean; subtask: string | null }>) {
  const { openAgent, openSubtask } = useRunAddress()
  if (!isSubtasks) return <SidePanel selected={null} onSelect={openAgent} />
  if (subtask === null) return <SubtaskList selected={null} onSelect={openSubtask} />
  return <SubtaskPanel key={subtask} id={subtask} onSelect={openSubtask} onAgent={openAgent} />
}
