import { useMemo } from 'react'

import { Disclosure } from '@/components/disclosure'
import { Section } from '@/components/fact'
import { useRun } from '@/components/run/run-context'
import { useAgents } from '@/components/run/use-agents'

import { DiffView } from './diff-view'
import { AgentLink, LongText, PhaseLabel } from './look'
import { diffOf } from './state-diff'
import { chosenIn, phaseOf, stagesOf, toldOf, type Place, type StageView } from './stages'
import { text } from './words'

const { detail: words } = text

interface Props {
  stage: StageView
  onAgent: (id: string) => void
}

interface StageProps extends Props {
  isOver: boolean
}

/** What the planner did, who worked, what the evaluator said, and what became of the state. */
export function StageDetail({ stage, isOver, onAgent }: Readonly<StageProps>) {
  const agents = useAgents()
  const phase = phaseOf(stage, agents, isOver)
  const { planned, ended } = stage
  const changed = useMemo(() => ended && diffOf(planned.state, ended.state), [planned, ended])
  return (
    <section aria-label={text.stage(stage.number)} className="flex flex-col">
      <div className="flex items-center justify-between gap-2 border-t border-line px-4 py-3">
        <h2 className="text-sm font-semibold">{text.stage(stage.number)}</h2>
        <PhaseLabel phase={phase} />
      </div>
      <Planner stage={stage} onAgent={onAgent} />
      <Workflow stage={stage} onAgent={onAgent} />
      <Evaluator stage={stage} isOver={isOver} onAgent={onAgent} />
      <Section title={text.state.title}>
        {changed ? <DiffView diff={changed} /> : <p className="text-ink-3">{text.state.waits}</p>}
      </Section>
    </section>
  )
}

function Planner({ stage, onAgent }: Readonly<Props>) {
  const { number, planned } = stage
  const before = useRun(({ attempt }) =>
    stagesOf(attempt).find((each) => each.number === number - 1),
  )
  const changed = useMemo(
    () => diffOf(before?.ended?.state ?? null, planned.state),
    [before, planned],
  )
  return (
    <Section title={words.planner}>
      <p>{words.plannerSaid[planned.origin]}</p>
      {planned.problem ? <Problem why={planned.problem} /> : null}
      {planned.left_out > 0 ? <p className="text-warn">{words.leftOut(planned.left_out)}</p> : null}
      <Agents stage={number} part="planner" onAgent={onAgent} />
      {planned.origin === 'given' ? null : (
        <Disclosure level={4} title={text.state.planChanges} defaultOpen={number > 1}>
          <DiffView diff={changed} />
        </Disclosure>
      )}
    </Section>
  )
}

/** Layer by layer; one that does not run has no agent to open. */
function Workflow({ stage: { planned, layers }, onAgent }: Readonly<Props>) {
  const agents = useAgents()
  return (
    <Section title={words.agents}>
      {layers.length === 0 ? <p className="text-ink-3">{text.choice.waits}</p> : null}
      <ol className="flex flex-col gap-2">
        {layers.map((layer) => (
          <li key={layer.layer} className="flex flex-col gap-1">
            <span className="text-xs text-ink-3">{text.layer(layer.layer)}</span>
            <ul className="flex flex-col gap-1">
              {chosenIn(layer, agents).map(({ candidate, agentId }) => (
                <li key={agentId ?? candidate.role} className="flex min-w-0 items-center text-xs">
                  {agentId === null ? (
                    <span className="text-ink-2">
                      {candidate.name} <span className="text-ink-3">{text.strip.notRun}</span>
                    </span>
                  ) : (
                    <AgentLink isBrief id={agentId} onAgent={onAgent} />
                  )}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
      <Disclosure level={4} title={words.read}>
        <p className="text-xs text-ink-3">{words.readHelp}</p>
        <ul className="mt-1 flex list-disc flex-col gap-0.5 pl-4 text-xs">
          {planned.compact.map((line, index) => (
            <li key={index} className="wrap-anywhere">
              {line}
            </li>
          ))}
        </ul>
      </Disclosure>
    </Section>
  )
}

function Evaluator({ stage, isOver, onAgent }: Readonly<StageProps>) {
  const phase = phaseOf(stage, useAgents(), isOver)
  const { assessed } = stage
  const waits = phase === 'judging' ? words.judging : words.waits
  return (
    <Section title={words.evaluator}>
      {assessed ? (
        <>
          <p className="flex flex-wrap items-center gap-x-3">
            <PhaseLabel phase={assessed.assessment.verdict} />
            <span className="text-xs text-ink-2">
              {text.strip.sure(assessed.assessment.confidence)}
            </span>
          </p>
          {words.evaluatorSaid[assessed.origin] ? (
            <p className="text-warn">{words.evaluatorSaid[assessed.origin]}</p>
          ) : null}
          {assessed.problem ? <Problem why={assessed.problem} /> : null}
          {assessed.assessment.feedback ? (
            <LongText>{assessed.assessment.feedback}</LongText>
          ) : null}
        </>
      ) : (
        <p className="text-ink-3">
          {phase === 'unjudged' || phase === 'stopped' ? words.unjudged : waits}
        </p>
      )}
      <Agents stage={stage.number} part="evaluator" onAgent={onAgent} />
    </Section>
  )
}

const Problem = ({ why }: Readonly<{ why: string }>) => (
  <div className="text-warn">
    <LongText>{words.problem(why)}</LongText>
  </div>
)

interface AgentsProps extends Pick<Place, 'stage'> {
  part: 'planner' | 'evaluator'
  onAgent: (id: string) => void
}

/** Those asked as planner or evaluator: a second one, where the first reply could not be read. */
function Agents({ stage, part, onAgent }: Readonly<AgentsProps>) {
  const places = useRun(({ attempt }) => toldOf(attempt).places)
  const ids = [...places].flatMap(([id, place]) =>
    place.stage === stage && place.part === part ? [id] : [],
  )
  return ids.map((id) => <AgentLink key={id} isBrief id={id} onAgent={onAgent} />)
}
