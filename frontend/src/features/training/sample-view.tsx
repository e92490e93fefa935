import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'

import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { AgentPanel } from '@/components/run/agent-panel'
import { GraphCanvas } from '@/components/run/canvas/graph-canvas'
import { RunContext, useRun } from '@/components/run/run-context'
import { createRunStore } from '@/components/run/run-store'
import { TakeIntoDesign } from '@/components/run/take-into-design'
import { SubtaskList, SubtaskPanel, SubtaskView } from '@/components/run/subtasks/later-views'
import { useHasSubtasks, useSubtasks } from '@/components/run/subtasks/use-subtasks'
import { useAgentNames } from '@/components/run/use-agents'
import { Tabs } from '@/components/tabs'
import { VerdictBadge } from '@/components/verdict-badge'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { formatMetric, textOr } from '@/lib/format'
import { useWide } from '@/lib/use-wide'

import { CreditList } from './credit-list'
import { sampleFrames, sampleRunId } from './sample-run'
import { text as subtaskText } from '@/strings/subtasks'
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
        {sample.isError ? (
          <ErrorPanel problem={toApiError(sample.error)} onRetry={() => void sample.refetch()} />
        ) : (
          <WorkingBlock />
        )}
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
  // Made once: the job changes with every step, what was sampled does not.
  const [store] = useState(() => {
    const made = createRunStore(sampleRunId(sample))
    made.getState().applyFrames(sampleFrames(sample, job))
    return made
  })
  const wide = useWide()
  useEffect(() => store.getState().setNarrow(!wide), [store, wide])
  return (
    <RunContext value={store}>
      <div className={LAYOUT}>
        <div className="flex min-w-0 flex-col lg:h-[36rem] lg:border-r lg:border-line">
          {list}
          <Side sample={sample} />
        </div>
        <div className="flex min-w-0 flex-col lg:h-[36rem]">
          <Facts sample={sample} />
          <Graph />
        </div>
      </div>
    </RunContext>
  )
}

function Facts({ sample }: Readonly<{ sample: Sample }>) {
  return (
    <div className="flex flex-col gap-1.5 px-4 py-3">
      <p className="whitespace-pre-wrap">{sample.query}</p>
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

function useChosenSubtask(): string | null {
  const { subtask } = useCurveAddress()
  const exists = useSubtasks().some(({ id }) => id === subtask)
  return exists ? subtask : null
}

function Graph() {
  const { openAgent, openSubtask, openView, view } = useCurveAddress()
  const selected = useChosenAgent()
  const subtask = useChosenSubtask()
  const hasSubtasks = useHasSubtasks()
  const agents = <GraphCanvas selected={selected} onSelect={openAgent} />
  return (
    <div className="min-h-0 min-w-0 flex-1 border-t border-line max-lg:h-96 max-lg:flex-none">
      {hasSubtasks ? (
        <Tabs
          label={subtaskText.views}
          selected={view}
          onSelect={openView}
          className="h-full"
          panelClassName="overflow-hidden"
          items={[
            {
              key: 'subtasks',
              label: subtaskText.tab,
              content: <SubtaskView selected={subtask} onSelect={openSubtask} />,
            },
            { key: 'agents', label: subtaskText.agents, content: agents },
          ]}
        />
      ) : (
        agents
      )}
    </div>
  )
}

/** The chosen agent or subtask beside the graph, or as a sheet where there is no room; else the
 * actions, or the subtasks. */
function Side({ sample }: Readonly<{ sample: Sample }>) {
  const { openAgent, openSubtask } = useCurveAddress()
  const selected = useChosenAgent()
  const subtask = useChosenSubtask()
  const hasSubtasks = useHasSubtasks()
  const nameOf = useAgentNames()
  const ordinal = useSubtasks().find(({ id }) => id === subtask)?.ordinal ?? 0
  const title = selected === null ? subtaskText.name(ordinal) : nameOf(selected)
  const wide = useWide()
  const isChosen = selected !== null || subtask !== null
  if (isChosen && wide)
    return (
      <aside className="min-h-0 flex-1 overflow-auto">
        <Chosen agent={selected} subtask={subtask} />
      </aside>
    )
  return (
    <aside className="min-h-0 flex-1 overflow-auto max-lg:border-b max-lg:border-line">
      {hasSubtasks ? (
        <SubtaskList selected={subtask} onSelect={openSubtask} />
      ) : (
        <CreditList sample={sample} onSelect={openAgent} />
      )}
      {isChosen ? (
        <Dialog
          isOpen
          title={title}
          onClose={() => (selected === null ? openSubtask(null) : openAgent(null))}
        >
          <div className="-m-4">
            <Chosen agent={selected} subtask={subtask} bare />
          </div>
        </Dialog>
      ) : null}
    </aside>
  )
}

interface ChosenProps {
  agent: string | null
  subtask: string | null
  bare?: boolean
}

/** The agent, and once that is closed the subtask that it was opened from. */
function Chosen({ agent, subtask, bare = false }: Readonly<ChosenProps>) {
  const { openAgent, openSubtask } = useCurveAddress()
  if (agent !== null)
    return (
      <AgentPanel key={agent} id={agent} onSelect={openAgent} onSubtask={openSubtask} bare={bare} />
    )
  if (subtask === null) return null
  return (
    <SubtaskPanel
      key={subtask}
      id={subtask}
      onSelect={openSubtask}
      onAgent={openAgent}
      bare={bare}
    />
  )
}
