import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'

import { Dialog } from '@/components/dialog'
import { QueryError } from '@/components/query-state'
import { QuestionText } from '@/components/question-text'
import { AgentPanel } from '@/components/run/agent-panel'
import { GraphCanvas } from '@/components/run/canvas/graph-canvas'
import type { FamilyTab } from '@/components/run/family-views'
import { RunContext, useRun } from '@/components/run/run-context'
import { createRunStore } from '@/components/run/run-store'
import { TakeIntoDesign } from '@/components/run/take-into-design'
import { useAgentNames } from '@/components/run/use-agents'
import { useChosenName, useFamilyTabs } from '@/components/run/use-family-tabs'
import { Tabs } from '@/components/tabs'
import { VerdictBadge } from '@/components/verdict-badge'
import { WorkingBlock } from '@/components/working'
import { FAMILIES } from '@/families/registry'
import { tells } from '@/graph/family'
import { formatMetric, textOr } from '@/lib/format'
import { useWide } from '@/lib/use-wide'

import { sampleFrames, sampleRunId, type System } from './sample-run'
import { text } from '@/strings/training'

import { useCurveAddress } from './use-curve-address'
import { sampleQuery, type Sample, type Training } from './use-training'

const { samples: words } = text

interface Props {
  job: Training
  id: number
  /** The systems to choose from; they stay while another one is fetched. */
  list: ReactNode
}

/** One sampled system: its graph as on a run's page, and what each of its actions earned. */
export function SampleView({ job, id, list }: Readonly<Props>) {
  const sample = useQuery(sampleQuery(job.id, id))
  if (sample.data) return <Drawn job={job} sample={sample.data} list={list} />
  return (
    <div className={LAYOUT}>
      <div>{list}</div>
      <div className="min-h-[34rem] p-4 max-lg:min-h-80">
        {sample.isError ? <QueryError of={sample} /> : <WorkingBlock />}
      </div>
    </div>
  )
}

const LAYOUT = 'grid lg:grid-cols-[21rem_1fr]'

interface DrawnProps {
  job: Training
  sample: Sample
  list: ReactNode
}

function Drawn({ job, sample, list }: Readonly<DrawnProps>) {
  return (
    <SystemView
      job={job}
      system={sample}
      list={list}
      facts={<Facts sample={sample} />}
      otherwise={<Earned sample={sample} />}
    />
  )
}

interface SystemProps {
  job: Training
  system: System
  /** Above what is beside the graph. */
  list: ReactNode
  /** Above the graph. */
  facts: ReactNode
  /** Beside the graph where no family has anything to show. */
  otherwise?: ReactNode
}

/** A system that a training kept, with its trace, drawn as on a run's page. */
export function SystemView({ job, system, list, facts, otherwise }: Readonly<SystemProps>) {
  // Made once: the job changes with every step, what was sampled does not.
  const [store] = useState(() => {
    const made = createRunStore(sampleRunId(system), FAMILIES)
    made.getState().applyFrames(sampleFrames(system, job))
    return made
  })
  const wide = useWide()
  useEffect(() => store.getState().setNarrow(!wide), [store, wide])
  return (
    <RunContext value={store}>
      <div className={LAYOUT}>
        <div className="flex min-w-0 flex-col lg:h-[36rem] lg:border-r lg:border-line">
          {list}
          <Side otherwise={otherwise} />
        </div>
        <div className="flex min-w-0 flex-col lg:h-[36rem]">
          {facts}
          <Graph />
        </div>
      </div>
    </RunContext>
  )
}

function Facts({ sample }: Readonly<{ sample: Sample }>) {
  return (
    <div className="flex flex-col gap-1.5 px-4 py-3">
      <QuestionText text={sample.query} />
      <p className="flex flex-wrap items-center gap-x-5 gap-y-1 text-xs text-ink-2">
        <VerdictBadge correct={sample.correct} />
        <span>
          {words.answer}{' '}
          <b className="font-medium text-ink">{textOr(sample.answer, words.noAnswer)}</b>
        </span>
        <span>
          {words.reference} <b className="font-medium text-ink">{textOr(sample.reference)}</b>
        </span>
        <span>
          {words.reward} <b className="font-medium text-ink">{formatMetric(sample.reward)}</b>
        </span>
        {sample.agents > 0 ? <TakeIntoDesign from={{ from_sample: sample.id }} /> : null}
      </p>
    </div>
  )
}

function useChosenAgent(): string | null {
  const { agent } = useCurveAddress()
  const exists = useRun((state) => agent !== null && state.attempt?.agents.has(agent) === true)
  return exists ? agent : null
}

/** The family's tab that is open, else the first; what is chosen there, and ways to others. */
function useOwn() {
  const { view, chosen, openOwn } = useCurveAddress()
  const tabs = useFamilyTabs()
  const [first] = tabs
  const tab = tabs.find(({ key }) => key === view) ?? first ?? null
  const asked = (tab && chosen[tab.parameter]) ?? null
  const name = useChosenName(tab, asked)
  const viewOf = (key: string): string | null => (key === first?.key ? null : key)
  return {
    tabs,
    tab,
    chosen: name === null ? null : asked,
    name,
    viewOf,
    open: (to: FamilyTab, id: string | null) => openOwn(to, id, viewOf(to.key)),
  }
}

const AGENTS = 'agents'

function Graph() {
  const { openAgent, openView, view } = useCurveAddress()
  const selected = useChosenAgent()
  const { tabs, tab, chosen, viewOf, open } = useOwn()
  const agents = <GraphCanvas selected={selected} onSelect={openAgent} />
  return (
    <div className="min-h-0 min-w-0 flex-1 border-t border-line max-lg:h-96 max-lg:flex-none">
      {tab ? (
        <Tabs
          label={tab.words.views}
          selected={view === AGENTS ? AGENTS : tab.key}
          onSelect={(key) => openView(viewOf(key))}
          className="h-full"
          panelClassName="overflow-hidden"
          items={[
            ...tabs.map((each) => ({
              key: each.key,
              label: each.words.tab,
              content: <each.View selected={chosen} onSelect={(id) => open(each, id)} />,
            })),
            { key: AGENTS, label: tab.words.agents, content: agents },
          ]}
        />
      ) : (
        agents
      )}
    </div>
  )
}

/** The chosen agent, or what is chosen in the family's tab, beside the graph, or as a sheet where there is
 * no room; else what can be chosen there, or what the actions earned. */
function Side({ otherwise }: Readonly<{ otherwise: ReactNode }>) {
  const { openAgent } = useCurveAddress()
  const selected = useChosenAgent()
  const { tab, chosen, name, open } = useOwn()
  const nameOf = useAgentNames()
  const title = selected === null ? (name ?? '') : nameOf(selected)
  const wide = useWide()
  const isChosen = selected !== null || (chosen !== null && tab?.Panel !== undefined)
  if (isChosen && wide)
    return (
      <aside className="min-h-0 flex-1 overflow-auto">
        <Chosen />
      </aside>
    )
  return (
    <aside className="min-h-0 flex-1 overflow-auto max-lg:border-b max-lg:border-line">
      {tab ? (
        <tab.Side selected={chosen} onSelect={(id) => open(tab, id)} onAgent={openAgent} />
      ) : (
        otherwise
      )}
      {isChosen ? (
        <Dialog
          isOpen
          title={title}
          onClose={() => {
            if (selected !== null) openAgent(null)
            else if (tab) open(tab, null)
          }}
        >
          <div className="-m-4">
            <Chosen bare />
          </div>
        </Dialog>
      ) : null}
    </aside>
  )
}

function Earned({ sample }: Readonly<{ sample: Sample }>) {
  const { openAgent } = useCurveAddress()
  const family = useRun(({ attempt, families }) =>
    families.find((each) => each.Credits && attempt && tells(each, attempt)),
  )
  return family?.Credits ? <family.Credits sample={sample} onSelect={openAgent} /> : null
}

/** The agent, and once that is closed what it was opened from. */
function Chosen({ bare = false }: Readonly<{ bare?: boolean }>) {
  const { openAgent } = useCurveAddress()
  const agent = useChosenAgent()
  const { tab, chosen, open } = useOwn()
  if (agent !== null)
    return <AgentPanel key={agent} id={agent} onSelect={openAgent} onOwn={open} bare={bare} />
  if (!tab?.Panel || chosen === null) return null
  return (
    <tab.Panel
      key={chosen}
      id={chosen}
      onSelect={(id) => open(tab, id)}
      onAgent={openAgent}
      bare={bare}
    />
  )
}
