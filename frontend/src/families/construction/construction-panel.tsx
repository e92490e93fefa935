import { ChevronRight, CircleStop, Plus, Trash2 } from 'lucide-react'
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react'

import { Badge } from '@/components/badge'
import { cx } from '@/components/cx'
import { useRun } from '@/components/run/run-context'
import { useAgentNames, useAgents } from '@/components/run/use-agents'
import { Working } from '@/components/working'
import type { AgentView, IntermediateView } from '@/graph/run-view'
import { formatProbability } from '@/lib/format'
import { useWide } from '@/lib/use-wide'
import { text as run } from '@/strings/run'

import { CandidateList } from './candidate-list'
import { StepEdges } from './edge-list'
import { usePolicy } from './policy'
import { constructionOf, type StepView } from './steps'
import { text } from './words'

const NONE: readonly never[] = []
const KIND_ICONS = { add: Plus, delete: Trash2, exit: CircleStop }

interface Props {
  selected: string | null
  onSelect: (id: string) => void
}

/** How the team was built, action by action, each with the probabilities it was chosen with. */
export function ConstructionPanel({ selected, onSelect }: Readonly<Props>) {
  const steps = useRun(({ attempt }) => constructionOf(attempt).steps)
  const intermediates = useRun((state) => state.attempt?.intermediates ?? NONE)
  const running = useRun((state) => state.view.status === 'running')
  const agents = useAgents()
  const nameOf = useAgentNames()
  const [opened, setOpened] = useState<ReadonlyMap<number, boolean>>(new Map())
  const newest = steps.at(-1)?.step
  const isBuilding = running && steps.at(-1)?.kind !== 'exit'
  const wide = useWide()
  const follows = isBuilding && wide && opened.size === 0
  const answers = useMemo(
    () => new Map(intermediates.map((each) => [each.step, each])),
    [intermediates],
  )
  const toggle = useCallback(
    (step: number, open: boolean) => setOpened((known) => new Map(known).set(step, open)),
    [],
  )
  const isOpen = (step: StepView): boolean =>
    opened.get(step.step) ??
    (step.step === newest ||
      (selected !== null && step.agentId === selected && step.kind === 'add'))

  return (
    <div className="flex flex-col">
      <PanelHead steps={steps} isBuilding={isBuilding} />
      <ol className="flex flex-col">
        {steps.map((step) => (
          <StepItem
            key={step.step}
            step={step}
            agent={step.agentId ? agents.get(step.agentId) : undefined}
            nameOf={nameOf}
            intermediate={answers.get(step.step)}
            isOpen={isOpen(step)}
            inView={follows && step.step === newest}
            onToggle={toggle}
            onSelect={onSelect}
          />
        ))}
      </ol>
      {isBuilding ? (
        <p className="flex items-center gap-2 px-4 py-3 text-xs text-ink-3">
          <Working />
          {whatIsNext(steps, agents, nameOf)}
        </p>
      ) : null}
    </div>
  )
}

function PanelHead({
  steps,
  isBuilding,
}: Readonly<{ steps: readonly StepView[]; isBuilding: boolean }>) {
  const trained = useRun((state) => state.attempt?.start?.trained ?? null)
  const { maxSteps } = usePolicy()
  const outOfScope = steps.some((step) => step.outOfScope)
  const progress =
    isBuilding && maxSteps !== null
      ? text.stepOf(Math.max(1, steps.length), maxSteps)
      : text.steps(steps.length)
  return (
    <div className="flex flex-col gap-2 px-4 py-3">
      <div className="flex items-center justify-between gap-2">
        <h2 className="text-sm font-semibold">{text.title}</h2>
        <span className="text-xs text-ink-3">{progress}</span>
      </div>
      {isBuilding && maxSteps !== null ? (
        <span aria-hidden className="h-1 overflow-hidden rounded-full bg-surface-3">
          <span
            className="block h-full rounded-full bg-accent transition-[width] duration-300"
            style={{ width: `${Math.min(100, (steps.length / maxSteps) * 100)}%` }}
          />
        </span>
      ) : null}
      {trained === false || outOfScope ? (
        <p className="flex flex-col items-start gap-1 text-xs text-ink-2">
          <Badge tone="warn">{run.untrained}</Badge>
          {outOfScope ? text.outOfScope : run.untrainedHelp}
        </p>
      ) : null}
    </div>
  )
}

/** An agent works as soon as it is added, and the next action depends on what it writes. */
function whatIsNext(
  steps: readonly StepView[],
  agents: ReadonlyMap<string, AgentView>,
  nameOf: (id: string) => string,
): string {
  const working = [...agents.values()].find((agent) => agent.status === 'active')
  if (working) return text.waitsFor(nameOf(working.id))
  return steps.length > 0 ? text.choosing : text.empty
}

interface StepProps {
  step: StepView
  agent: AgentView | undefined
  nameOf: (id: string) => string
  intermediate: IntermediateView | undefined
  isOpen: boolean
  /** The newest step scrolls into view until the reader opens another one. */
  inView: boolean
  onToggle: (step: number, open: boolean) => void
  onSelect: (id: string) => void
}

/** Of a long construction only the steps that changed are drawn anew. */
const StepItem = memo(function StepItem(props: Readonly<StepProps>) {
  const { step, agent, nameOf, intermediate, isOpen, inView, onToggle } = props
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (inView) item.current?.scrollIntoView({ block: 'nearest' })
  }, [inView, step])
  const Icon = KIND_ICONS[step.kind]
  const probability = step.candidates.find((each) => each.action === step.choice)?.probability
  return (
    <li ref={item} className="border-t border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => onToggle(step.step, !isOpen)}
        className="flex w-full items-center gap-2 px-4 py-2 text-left hover:bg-surface-2 focus-visible:-outline-offset-2"
      >
        <span className="w-4 text-right text-xs text-ink-3">{step.step}</span>
        <Icon
          size={14}
          aria-hidden
          className={cx('shrink-0', step.kind === 'delete' ? 'text-bad' : 'text-ink-3')}
        />
        <span className="min-w-0 flex-1 truncate font-medium">{stepName(step, agent, nameOf)}</span>
        <span className="text-xs text-ink-2">{formatProbability(probability)}</span>
        <ChevronRight
          size={14}
          aria-hidden
          className={cx('shrink-0 text-ink-3 transition-transform', isOpen && 'rotate-90')}
        />
      </button>
      {isOpen ? <StepBody {...props} intermediate={intermediate} /> : null}
    </li>
  )
})

function StepBody({ step, agent, nameOf, intermediate, onSelect }: Readonly<StepProps>) {
  return (
    <div className="flex flex-col gap-3 px-4 pt-1 pb-4 pl-10">
      <p className="text-xs text-ink-3">{step.greedy ? text.greedy : text.sampled}</p>
      <CandidateList step={step} />
      <StepEdges step={step} nameOf={nameOf} />
      {intermediate ? (
        <p className="flex gap-2 text-xs">
          <span className="text-ink-3">{text.soFar}</span>
          <span className="font-semibold">{intermediate.answer ?? text.noneSoFar}</span>
        </p>
      ) : null}
      {agent && step.kind === 'add' ? (
        <button
          type="button"
          onClick={() => onSelect(agent.id)}
          className="self-start text-xs font-medium text-accent hover:underline"
        >
          {nameOf(agent.id)} →
        </button>
      ) : null}
    </div>
  )
}

function stepName(
  step: StepView,
  agent: AgentView | undefined,
  nameOf: (id: string) => string,
): string {
  if (step.kind === 'exit') return text.exit
  const name = agent ? nameOf(agent.id) : (step.agentId ?? step.choice)
  return step.kind === 'delete' ? text.remove(name) : text.add(name)
}
