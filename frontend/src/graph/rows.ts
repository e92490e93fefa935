/** The rows of the trace by the events that they tell of: where a moment of the replay stands in it. */
import { ownEvents, type GraphFamily } from './family'
import type { RunEvent } from './frames'
import type { Moment } from './replay'
import type { AttemptView } from './run-view'

/** Ids of rows, stable while the run grows, so that open branches stay open. */
export const rowIds = {
  attempt: (attempt: number) => `attempt-${attempt}`,
  /** Of a family, by its name inside the attempt. */
  own: (attempt: number, row: string) => `attempt-${attempt}${row && `/${row}`}`,
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
export function rowsOf(
  attempt: number,
  event: RunEvent,
  families: readonly GraphFamily[],
): readonly string[] {
  for (const { rows } of ownEvents(families, event))
    if (rows) return rows(event).map((row) => rowIds.own(attempt, row))
  switch (event.event) {
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
  families: readonly GraphFamily[],
): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  const events = whole.events.toArray()
  let place = 0
  events.forEach(({ event }, index) => {
    while (index >= (moments[place]?.events ?? Infinity)) place += 1
    for (const row of rowsOf(whole.attempt, event, families))
      if (!found.has(row)) found.set(row, place)
  })
  return found
}
