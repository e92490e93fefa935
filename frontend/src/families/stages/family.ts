/** Their events, and what the pages of a run show of them. */
import { ClipboardCheck, History, Layers, ListTodo, Route, Save } from 'lucide-react'

import { later } from '@/components/later'
import type { RunFamily, SideProps } from '@/components/run/family-views'
import type { AgentFact, GraphFamily } from '@/graph/family'
import type { AttemptView } from '@/graph/run-view'
import { shortText } from '@/graph/text'

import { EVENTS } from './events'
import { StageOf, WhyChosen } from './of-agent'
import { askedIn, KEY, placeOf, stageNamed, stagesOf, stateOf } from './stages'
import { branches } from './trace'
import { stages } from '.'
import { text } from './words'

const FACT_CHARS = 120

/** Fetched when it is shown. */
const views = () => import('./views')

export const family: RunFamily = {
  key: KEY,
  events: EVENTS,
  branches,
  factOf,
  progress,
  rowLooks: {
    stage: { icon: Route, isStrong: true, opensAtFirst: true },
    plan: { icon: ListTodo },
    layer: { icon: Layers, opensAtFirst: true },
    assessment: { icon: ClipboardCheck },
    state: { icon: Save },
    'taken-up': { icon: History },
  },
  tab: {
    key: 'stages',
    parameter: stages.parameter,
    words: text,
    nameOf: (attempt, id) => {
      const stage = stageNamed(stagesOf(attempt), id)
      return stage ? text.stage(stage.number) : null
    },
    View: later(async () => (await views()).StagesView),
    Side: later<SideProps>(async () => (await views()).StageSide),
  },
  Asked: StageOf,
  why: {
    isKnown: (attempt, agent) => placeOf(attempt, agent)?.part === 'layer',
    Why: WhyChosen,
  },
}

function factOf(attempt: Pick<AttemptView, 'families'>, agent: string): AgentFact | null {
  const place = placeOf(attempt, agent)
  if (!place) return null
  const stage = stageNamed(stagesOf(attempt), String(place.stage))
  const asked = stage ? shortText(askedIn(stage.planned.state), FACT_CHARS) : text.detail.planner
  const name = text.stage(place.stage)
  return { title: text.agent.title, name, short: text.short(place.stage, asked), text: asked }
}

/** A task that is its only subtask may take any number of stages. */
function progress(attempt: AttemptView): ReturnType<NonNullable<GraphFamily['progress']>> {
  const state = stateOf(stagesOf(attempt))
  if (!state) return null
  if (state.subtasks.length === 1) return 'open'
  const done = state.subtasks.filter(({ status }) => status === 'DONE').length
  return { done, total: state.subtasks.length, words: text }
}
