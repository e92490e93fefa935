/** The steps of a construction as branches of the trace: each with the agent that it added and what follows from it. */
import type { Tree } from '@/graph/family'
import type { AgentView, AttemptView } from '@/graph/run-view'
import type { TraceNode } from '@/graph/tree'
import { formatProbability } from '@/lib/format'

import { constructionOf, type StepView } from './steps'
import { text } from './words'

export const rows = {
  step: (step: number) => `step-${step}`,
  soFar: (step: number) => `step-${step}/answer`,
}

export const branches = (attempt: AttemptView, tree: Tree): readonly TraceNode[] =>
  constructionOf(attempt).steps.map((step) => stepNode(attempt, step, tree))

function stepNode(
  attempt: AttemptView,
  step: StepView,
  { names, leaf, agent: node }: Tree,
): TraceNode {
  const { step: number, agentId, choice } = step
  const agent = agentId ? attempt.agents.get(agentId) : undefined
  const soFar = attempt.intermediates.find((other) => other.step === number)?.answer ?? null
  const name = names.get(agentId ?? '') ?? choice
  const probability = step.candidates.find(({ action }) => action === choice)?.probability
  return {
    ...leaf(rows.step(number), 'step', text.step(number, actionOf(step, name))),
    detail: probability === undefined ? '' : formatProbability(probability),
    family: agent?.family ?? null,
    agentId,
    children: [
      ...(agent && step.kind === 'add' ? [agent, ...revisionsFor(agent, attempt)].map(node) : []),
      ...(soFar === null
        ? []
        : [{ ...leaf(rows.soFar(number), 'answer', text.soFar), detail: soFar }]),
    ],
  }
}

function actionOf({ kind }: StepView, name: string): string {
  if (kind === 'exit') return text.stop
  return kind === 'add' ? text.add(name) : text.remove(name)
}

/** What others revised since the agent sent its message back to them. */
function revisionsFor({ id }: AgentView, attempt: AttemptView): AgentView[] {
  const { senders } = constructionOf(attempt)
  return [...attempt.agents.values()].filter((agent) => senders.get(agent.id) === id)
}
