/** The events of a task solved in stages: their effect on the attempt, their rows of the trace, their words in the
 * replay. */
import type { AttemptDraft } from '@/graph/attempt-draft'
import type { GraphFamily } from '@/graph/family'
import { shortText } from '@/graph/text'
import { formatProbability } from '@/lib/format'

import { askedIn, changeTold, nextAfter, placed, stagesOf, type StageView } from './stages'
import { rows } from './trace'
import { text } from './words'

const { replay: words } = text
const SHOWN_CHARS = 60

export const EVENTS: GraphFamily['events'] = {
  stage_planned: {
    fold: (draft, planned) => {
      const { stage: number } = planned
      const stage: StageView = { number, planned, layers: [], assessed: null, ended: null }
      changeTold(draft, ({ stages, places, ...rest }) => {
        const planners = draft.agentList().flatMap(({ id }) => (places.has(id) ? [] : [id]))
        const place = { stage: number, part: 'planner', layer: 0 } as const
        return {
          ...rest,
          stages: [...stages, stage],
          places: new Map([...places, ...planners.map((id) => [id, place] as const)]),
        }
      })
      draft.setAnsweredBy([])
    },
    rows: ({ stage }) => [rows.stage(stage), rows.plan(stage)],
    moment: ({ stage, state }) => words.planned(stage, shortText(askedIn(state), SHOWN_CHARS)),
  },
  layer_sampled: {
    fold: (draft, layer) =>
      changeStage(draft, layer.stage, (known) => ({ ...known, layers: [...known.layers, layer] })),
    rows: ({ stage, layer }) => [rows.layer(stage, layer)],
    moment: ({ stage, layer, candidates }) => {
      const chosen = candidates.filter(({ rank }) => rank !== null)
      return words.layer(stage, layer, chosen.map(({ name }) => name).join(', '))
    },
  },
  stage_assessed: {
    fold: (draft, assessed) =>
      changeStage(draft, assessed.stage, (known) => ({ ...known, assessed })),
    rows: ({ stage }) => [rows.verdict(stage)],
    moment: ({ stage, assessment: { verdict, confidence } }) =>
      words.assessed(stage, text.phase[verdict], formatProbability(confidence)),
  },
  stage_ended: {
    fold: (draft, ended) => changeStage(draft, ended.stage, (known) => ({ ...known, ended })),
    rows: ({ stage }) => [rows.state(stage)],
    moment: ({ stage, ending }) => (ending ? text.ending[ending] : words.ended(stage)),
  },
  run_taken_up: {
    fold: (draft) =>
      changeTold(draft, (known) => ({
        ...known,
        takenUp: [...known.takenUp, known.stages.length],
      })),
    rows: ({ parts }) => [rows.takenUp(parts)],
    moment: ({ parts }, { whole }) => text.takenUp(nextAfter(stagesOf(whole), parts)),
  },
  graph_planned: {
    fold: (draft, { graph }) => {
      const ids = graph.nodes.map(({ id }) => id)
      changeTold(draft, (known) => {
        const places = placed(known, ids)
        return places === known.places ? known : { ...known, places }
      })
    },
  },
  // Its planner and its evaluators lead to no other agent either.
  intermediate_answer: {
    fold: (draft, { agent_id: agent }) => {
      if (stagesOf(draft).length > 0) draft.setAnsweredBy(agent === null ? [] : [agent])
    },
  },
}

function changeStage(
  draft: AttemptDraft,
  number: number,
  change: (stage: StageView) => StageView,
): void {
  changeTold(draft, (known) => ({
    ...known,
    stages: known.stages.map((stage) => (stage.number === number ? change(stage) : stage)),
  }))
}
