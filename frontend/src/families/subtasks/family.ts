/** Their events, and what the pages of a run show of them. */
import { ListTree, Split } from 'lucide-react'

import { later } from '@/components/later'
import type { RunFamily, SideProps } from '@/components/run/family-views'
import type { AgentFact } from '@/graph/family'
import type { AttemptView } from '@/graph/run-view'
import { shortText } from '@/graph/text'

import { EVENTS } from './events'
import { SubtaskOf, WhyFound } from './of-agent'
import { divisionOf, KEY, ordinalOf, searchOfAgent, subtaskOfAgent } from './task-graph'
import { bars, branches } from './trace'
import { subtasks } from '.'
import { text } from './words'

const FACT_CHARS = 120

/** Fetched when it is shown. */
const views = () => import('./views')

export const family: RunFamily = {
  key: KEY,
  events: EVENTS,
  branches,
  bars,
  factOf,
  progress: (attempt) => {
    const { taskGraph } = divisionOf(attempt)
    return (
      taskGraph && { done: taskGraph.results.size, total: taskGraph.subtasks.length, words: text }
    )
  },
  rowLooks: {
    planner: { icon: Split, counts: true },
    subtask: { icon: ListTree, isStrong: true, opensAtFirst: true },
  },
  tab: {
    key: 'subtasks',
    parameter: subtasks.parameter,
    words: text,
    nameOf: (attempt, id) => {
      const ordinal = ordinalOf(divisionOf(attempt).taskGraph, id)
      return ordinal > 0 ? text.name(ordinal) : null
    },
    View: later(async () => (await views()).SubtaskView),
    Side: later<SideProps>(async () => (await views()).SubtaskList),
    Panel: later(async () => (await views()).SubtaskPanel),
  },
  Asked: SubtaskOf,
  why: {
    isKnown: (attempt, agent) => searchOfAgent(divisionOf(attempt).taskGraph, agent) !== null,
    Why: WhyFound,
  },
}

function factOf(attempt: Pick<AttemptView, 'families'>, agent: string): AgentFact | null {
  const found = subtaskOfAgent(divisionOf(attempt).taskGraph, agent)
  if (!found) return null
  const asked = shortText(found.text, FACT_CHARS)
  return {
    title: text.agent.title,
    name: text.name(found.ordinal),
    short: text.short(found.ordinal, asked),
    text: asked,
  }
}
