import type { AgentSectionProps } from '@/components/run/family-views'
import { useRun } from '@/components/run/run-context'
import { useAgentNames } from '@/components/run/use-agents'

import { CandidateList } from './candidate-list'
import { StepEdges } from './edge-list'
import { constructionOf, stepOf } from './steps'
import { text } from './words'

/** The step that added the agent, or who sent its message back to the one that it revises. */
export function WhySampled({ agent: { id } }: Readonly<AgentSectionProps>) {
  const step = useRun(({ attempt }) => stepOf(constructionOf(attempt).steps, id))
  const sender = useRun(({ attempt }) => constructionOf(attempt).senders.get(id))
  const nameOf = useAgentNames()
  if (step)
    return (
      <>
        <p className="text-xs text-ink-3">
          {text.why.atStep(step.step)}, {step.greedy ? text.greedy : text.sampled}
        </p>
        <CandidateList step={step} />
        <StepEdges step={step} nameOf={nameOf} />
      </>
    )
  return sender === undefined ? null : (
    <p className="text-ink-3">{text.why.revised(nameOf(sender))}</p>
  )
}
