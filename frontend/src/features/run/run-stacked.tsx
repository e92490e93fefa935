import type { ReactNode } from 'react'

import { Dialog } from '@/components/dialog'
import { GraphCanvas } from '@/components/run/canvas/graph-canvas'
import { useHasSubtasks, useSubtasks } from '@/components/run/subtasks/use-subtasks'
import { SubtaskList, SubtaskPanel, SubtaskView } from '@/components/run/subtasks/later-views'
import { text } from '@/strings/run'
import { text as subtaskText } from '@/strings/subtasks'
import { useAgentNames } from '@/components/run/use-agents'
import { Tabs } from '@/components/tabs'

import { AgentPanel, TimelineView, TraceTree } from './parts'
import { useRunAddress, useSelected, useTraceSearch } from './run-address'
import { ReplayPart } from './replay-part'
import { SidePanel, useIsConstructed } from './side-panel'

/** On a phone: the graph on top, the panels as tabs under it, an agent as a sheet from below. */
export function RunStacked() {
  const { tab, openTab, openAgent, openSubtask } = useRunAddress()
  const search = useTraceSearch()
  const isConstructed = useIsConstructed()
  const hasSubtasks = useHasSubtasks()
  const { agent: selected, subtask } = useSelected()
  return (
    <div className="flex flex-1 flex-col gap-3 px-4 py-3">
      <div className="flex h-[52dvh] min-h-72 flex-col overflow-hidden rounded-lg border border-line">
        <div className="min-h-0 flex-1">
          {tab === 'subtasks' ? (
            <SubtaskView selected={subtask} onSelect={openSubtask} />
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
            ...(hasSubtasks
              ? [
                  {
                    key: 'subtasks',
                    label: subtaskText.tab,
                    content: <SubtaskList selected={subtask} onSelect={openSubtask} />,
                  },
                ]
              : []),
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
      <Sheet subtask={tab === 'subtasks' ? subtask : null} agent={selected} />
    </div>
  )
}

/** No higher than the screen: of a list that is as long as its rows, every row is in view and drawn. */
function Bounded({ children }: Readonly<{ children: ReactNode }>) {
  return <div className="flex max-h-[82dvh] min-h-0 flex-col">{children}</div>
}

/** What is chosen: the agent, and under it, so that it is there again afterwards, the subtask. */
function Sheet({ agent, subtask }: Readonly<{ agent: string | null; subtask: string | null }>) {
  const { openAgent, openSubtask } = useRunAddress()
  const nameOf = useAgentNames()
  const ordinal = useSubtasks().find(({ id }) => id === subtask)?.ordinal
  const title = ordinal === undefined ? '' : subtaskText.name(ordinal)
  return (
    <Dialog
      title={agent === null ? title : nameOf(agent)}
      isOpen={agent !== null || subtask !== null}
      onClose={() => (agent === null ? openSubtask(null) : openAgent(null))}
    >
      <div className="-m-4">
        {agent !== null ? (
          <AgentPanel id={agent} onSelect={openAgent} onSubtask={openSubtask} bare />
        ) : subtask === null ? null : (
          <SubtaskPanel id={subtask} onSelect={openSubtask} onAgent={openAgent} bare />
        )}
      </div>
    </Dialog>
  )
}
