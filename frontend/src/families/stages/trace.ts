/** The stages as branches of the trace: plan, layers with their agents, verdict, and the state after it. */
import type { Tree } from '@/graph/family'
import { hasStopped, type AgentStatus, type AttemptView } from '@/graph/run-view'
import { shortText } from '@/graph/text'
import type { TraceNode } from '@/graph/tree'

import {
  askedIn,
  chosenIn,
  isTakenUpAfter,
  nextAfter,
  phaseOf,
  placeOf,
  stagesOf,
  type Phase,
  type StageView,
} from './stages'
import { text } from './words'

const DETAIL_CHARS = 200

export const rows = {
  stage: (number: number) => `stage-${number}`,
  plan: (number: number) => `stage-${number}/plan`,
  layer: (number: number, layer: number) => `stage-${number}/layer-${layer}`,
  verdict: (number: number) => `stage-${number}/verdict`,
  state: (number: number) => `stage-${number}/state`,
  takenUp: (finished: number) => `taken-up-${finished}`,
}

const STATUS: Readonly<Record<Phase, AgentStatus>> = {
  choosing: 'active',
  working: 'active',
  judging: 'active',
  success: 'done',
  refine: 'refused',
  fail: 'failed',
  unjudged: 'done',
  stopped: 'stopped',
}

export const branches = (attempt: AttemptView, tree: Tree): readonly TraceNode[] =>
  stagesOf(attempt).flatMap((stage, index, all) => {
    const row = stageNode(stage, attempt, tree)
    if (!isTakenUpAfter(attempt, index + 1)) return [row]
    const label = text.takenUp(nextAfter(all, index + 1))
    return [row, { ...tree.leaf(rows.takenUp(index + 1), 'taken-up', label), detail: text.lost }]
  })

function stageNode(stage: StageView, attempt: AttemptView, tree: Tree): TraceNode {
  const { number, planned, assessed, ended } = stage
  const { agents } = attempt
  const of = (part: 'planner' | 'evaluator') =>
    [...agents.values()]
      .filter(({ id }) => {
        const place = placeOf(attempt, id)
        return place?.stage === number && place.part === part
      })
      .map(tree.agent)
  const asked = askedIn(planned.state)
  return {
    ...tree.leaf(rows.stage(number), 'stage', text.stage(number)),
    detail: shortText(asked, DETAIL_CHARS),
    whole: () => asked,
    status: STATUS[phaseOf(stage, agents, hasStopped(attempt))],
    children: [
      ...of('planner'),
      {
        ...tree.leaf(rows.plan(number), 'plan', text.plan.title),
        detail: planned.problem || text.plan.count(planned.state.subtasks.length),
        whole: () => planned.state.subtasks.map((each) => each.text).join('\n'),
      },
      ...stage.layers.map((layer) => ({
        ...tree.leaf(rows.layer(number, layer.layer), 'layer', text.layer(layer.layer)),
        detail: chosenIn(layer, agents)
          .map(({ candidate }) => candidate.name)
          .join(', '),
        children: layer.agents.flatMap((id) => {
          const agent = agents.get(id)
          return agent ? [tree.agent(agent)] : []
        }),
      })),
      ...of('evaluator'),
      ...(assessed
        ? [
            {
              ...tree.leaf(rows.verdict(number), 'assessment', text.judged(assessed.assessment)),
              detail: shortText(assessed.assessment.feedback, DETAIL_CHARS),
              whole: () => assessed.assessment.feedback,
              status: STATUS[assessed.assessment.verdict],
            },
          ]
        : []),
      ...(ended
        ? [
            {
              ...tree.leaf(rows.state(number), 'state', text.state.title),
              detail: ended.ending ? text.ending[ended.ending] : ended.state.hint,
            },
          ]
        : []),
    ],
  }
}
