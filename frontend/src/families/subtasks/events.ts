/** The events of a division into subtasks: their effect on the attempt, their rows of the trace, their words in the
 * replay. */
import type { AttemptDraft } from '@/graph/attempt-draft'
import type { GraphFamily, Named, Told } from '@/graph/family'
import { groupsOf, usageOf } from '@/graph/fold-event'
import type { Usage } from '@/graph/frames'

import {
  changeDivision,
  divisionOf,
  ordinalOf,
  type PlannerCallView,
  type RejectedPlanView,
  type TaskGraphView,
} from './task-graph'
import { rows } from './trace'
import { text } from './words'

const { replay: words } = text

export const EVENTS: GraphFamily['events'] = {
  planner_asked: {
    fold: foldPlanner,
    rows: ({ ordinal }) => [rows.planner(ordinal)],
    moment: ({ ordinal }) => text.planner.asked(ordinal),
  },
  plan_rejected: {
    fold: foldRejection,
    rows: ({ ordinal }) => [rows.rejectedPlan(ordinal)],
    moment: () => text.rejected,
  },
  subtasks_planned: {
    fold: foldSubtasks,
    rows: ({ task_graph: graph }) => ['', ...graph.subtasks.map(({ id }) => rows.subtask(id))],
    moment: ({ task_graph: graph }) => words.planned(graph.subtasks.length),
  },
  candidates_scored: {
    fold: foldSearch,
    rows: ({ subtask }) => [rows.subtask(subtask)],
    moment: ({ candidates, subtask }, told) =>
      words.scored(candidates.length, numberOf(subtask, told)),
  },
  subtask_answered: {
    fold: foldResult,
    rows: ({ subtask }) => [rows.subtaskAnswer(subtask)],
    moment: ({ answer, subtask }, told) =>
      answer === null
        ? words.nobody(numberOf(subtask, told))
        : words.answered(numberOf(subtask, told), answer),
  },
}

const numberOf = (subtask: string, { whole }: Told): number =>
  ordinalOf(divisionOf(whole).taskGraph, subtask)

function foldPlanner(draft: AttemptDraft, event: Named<'planner_asked'>): void {
  const { at: startedAt, endpoint, ordinal } = event
  const call = { ordinal, endpoint, startedAt, endedAt: null, usage: null, rejected: null }
  changeDivision(draft, (known) => ({ ...known, plannerCalls: [...known.plannerCalls, call] }))
}

function foldRejection(draft: AttemptDraft, event: Named<'plan_rejected'>): void {
  const { problem, remedy, reply } = event
  endPlannerCall(draft, event, { problem, remedy, reply })
}

/** The call that waits for its reply. */
function endPlannerCall(
  draft: AttemptDraft,
  { at: endedAt, usage: used }: { readonly at: number; readonly usage: Usage },
  rejected: RejectedPlanView | null,
): void {
  const isOpen = (call: PlannerCallView): boolean => call.endedAt === null
  if (!divisionOf(draft).plannerCalls.some(isOpen)) return
  const usage = usageOf(used)
  draft.addUsage(usage)
  changeDivision(draft, (known) => ({
    ...known,
    plannerCalls: known.plannerCalls.map((call) =>
      isOpen(call) ? { ...call, endedAt, usage, rejected } : call,
    ),
  }))
}

function foldSubtasks(draft: AttemptDraft, event: Named<'subtasks_planned'>): void {
  const { planner, task_graph: graph } = event
  endPlannerCall(draft, event, null)
  const taskGraph: TaskGraphView = {
    planner,
    subtasks: graph.subtasks.map(({ id, text, depends_on: dependsOn, reference }) => ({
      id,
      text,
      dependsOn,
      reference,
    })),
    searches: new Map(),
    results: new Map(),
  }
  changeDivision(draft, (known) => ({ ...known, taskGraph }))
  draft.setAnsweredBy([])
}

function foldSearch(draft: AttemptDraft, event: Named<'candidates_scored'>): void {
  const { subtask, candidates, selections, nearest, threshold } = event
  const search = { candidates, selections, nearest, threshold }
  changeGraph(draft, (graph) => ({
    ...graph,
    searches: new Map(graph.searches).set(subtask, search),
  }))
}

function foldResult(draft: AttemptDraft, event: Named<'subtask_answered'>): void {
  // Events that were stored before these were told have none.
  const { correct, solved }: Partial<Pick<typeof event, 'correct' | 'solved'>> = event
  const { agent_id: agentId, answer, subtask } = event
  const result = {
    agentId,
    answer,
    correct: correct ?? null,
    solved: solved ?? null,
    rewards: new Map(event.rewards.map((reward) => [reward.agent_id, reward])),
    groups: groupsOf(event.groups),
  }
  changeGraph(draft, (graph) => {
    if (graph.subtasks.at(-1)?.id === subtask)
      draft.setAnsweredBy(agentId === null ? [] : [agentId])
    return { ...graph, results: new Map(graph.results).set(subtask, result) }
  })
}

function changeGraph(draft: AttemptDraft, change: (graph: TaskGraphView) => TaskGraphView): void {
  changeDivision(draft, (known) =>
    known.taskGraph ? { ...known, taskGraph: change(known.taskGraph) } : known,
  )
}
