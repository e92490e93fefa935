/** The rows of the trace by the events that they tell of: where a moment of the replay stands in it. */
import type { RunEvent } from './frames'
import type { Moment } from './replay'
import type { AttemptView } from './run-view'

/** Ids of rows, stable while the run grows, so that open branches stay open. */
export const rowIds = {
  attempt: (attempt: number) => `attempt-${attempt}`,
  step: (attempt: number, step: number) => `attempt-${attempt}/step-${step}`,
  soFar: (attempt: number, step: number) => `attempt-${attempt}/step-${step}/answer`,
  planner: (attempt: number, ordinal: number) => `attempt-${attempt}/planner-${ordinal}`,
  rejectedPlan: (attempt: number, ordinal: number) =>
    `attempt-${attempt}/planner-${ordinal}/rejected`,
  subtask: (attempt: number, id: string) => `attempt-${attempt}/subtask-${id}`,
  subtaskAnswer: (attempt: number, id: string) => `attempt-${attempt}/subtask-${id}/answer`,
  agent: (attempt: number, id: string) => `attempt-${attempt}/agent-${id}`,
  prompt: (attempt: number, id: string) => `attempt-${attempt}/agent-${id}/prompt`,
  tool: (attempt: number, id: string, call: string) =>
    `attempt-${attempt}/agent-${id}/tool-${call}`,
  message: (attempt: number, id: string) => `attempt-${attempt}/agent-${id}/message`,
  agentFailure: (attempt: number, id: string) => `attempt-${attempt}/agent-${id}/failure`,
  answer: (attempt: number) => `attempt-${attempt}/answer`,
  verdict: (attempt: number) => `attempt-${attempt}/verdict`,
  loss: (attempt: number) => `attempt-${attempt}/failure-0`,
  failure: (attempt: number) => `attempt-${attempt}/failure-1`,
}

/** The rows that come to be with an event, the one that tells of it first. */
export function rowsOf(attempt: number, event: RunEvent): readonly string[] {
  switch (event.event) {
    case 'node_sampled':
      return [rowIds.step(attempt, event.step)]
    case 'intermediate_answer':
      return [rowIds.soFar(attempt, event.step)]
    case 'planner_asked':
      return [rowIds.planner(attempt, event.ordinal)]
    case 'plan_rejected':
      return [rowIds.rejectedPlan(attempt, event.ordinal)]
    case 'subtasks_planned':
      return [
        rowIds.attempt(attempt),
        ...event.task_graph.subtasks.map(({ id }) => rowIds.subtask(attempt, id)),
      ]
    case 'candidates_scored':
      return [rowIds.subtask(attempt, event.subtask)]
    case 'subtask_answered':
      return [rowIds.subtaskAnswer(attempt, event.subtask)]
    case 'agent_started':
      return [rowIds.agent(attempt, event.agent_id), rowIds.prompt(attempt, event.agent_id)]
    case 'tool_called':
      return [rowIds.tool(attempt, event.agent_id, event.call_id)]
    case 'agent_finished':
      return [rowIds.message(attempt, event.agent_id)]
    case 'agent_failed':
      return [rowIds.agentFailure(attempt, event.agent_id)]
    case 'answer_verified':
      return [rowIds.verdict(attempt)]
    case 'run_finished':
      return [rowIds.answer(attempt)]
    case 'attempt_lost':
      return [rowIds.loss(attempt)]
    case 'run_failed':
      return [rowIds.failure(attempt)]
    default:
      return [rowIds.attempt(attempt)]
  }
}

/** By row, the place in the replay of the moment that brings it. */
export function momentsOfRows(
  whole: AttemptView,
  moments: readonly Moment[],
): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  const events = whole.events.toArray()
  let place = 0
  events.forEach(({ event }, index) => {
    while (index >= (moments[place]?.events ?? Infinity)) place += 1
    for (const row of rowsOf(whole.attempt, event)) if (!found.has(row)) found.set(row, place)
  })
  return found
}
