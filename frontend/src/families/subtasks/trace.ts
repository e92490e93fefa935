/** The planner's calls and the subtasks in the trace, and the calls on the timeline. */
import type { Bar, Tree } from '@/graph/family'
import { hasStopped, type AgentStatus, type AttemptView } from '@/graph/run-view'
import { shortText } from '@/graph/text'
import type { TraceNode } from '@/graph/tree'
import { strings } from '@/strings/studio'

import {
  divisionOf,
  plannerStatus,
  subtasksOf,
  type PlannerCallView,
  type SubtaskStatus,
  type SubtaskView,
} from './task-graph'
import { text } from './words'

export const rows = {
  planner: (ordinal: number) => `planner-${ordinal}`,
  rejectedPlan: (ordinal: number) => `planner-${ordinal}/rejected`,
  subtask: (id: string) => `subtask-${id}`,
  subtaskAnswer: (id: string) => `subtask-${id}/answer`,
}

export function branches(attempt: AttemptView, tree: Tree): readonly TraceNode[] {
  const { taskGraph, plannerCalls } = divisionOf(attempt)
  const hasEnded = hasStopped(attempt)
  return [
    ...plannerCalls.map((call) => plannerNode(call, attempt, tree)),
    ...subtasksOf({ taskGraph, agents: attempt.agents, hasEnded }).map((subtask) =>
      subtaskNode(subtask, tree),
    ),
  ]
}

function plannerNode(call: PlannerCallView, attempt: AttemptView, { leaf }: Tree): TraceNode {
  const { ordinal, endpoint, startedAt, endedAt, usage, rejected } = call
  return {
    ...leaf(rows.planner(ordinal), 'planner', text.planner.name(ordinal)),
    detail: text.planner.on(ordinal, endpoint),
    status: plannerStatus(call, attempt),
    seconds: endedAt === null ? null : endedAt - startedAt,
    usage,
    children: rejected
      ? [
          {
            ...leaf(rows.rejectedPlan(ordinal), 'failure', text.rejected),
            detail: rejected.problem,
            whole: () => `${rejected.problem}\n${rejected.reply}`,
            status: 'failed' as const,
          },
        ]
      : [],
  }
}

const STATUS_OF_SUBTASK: Readonly<Record<SubtaskStatus, AgentStatus>> = {
  waiting: 'waiting',
  searching: 'active',
  asked: 'active',
  answered: 'done',
  unsolved: 'failed',
  stopped: 'stopped',
  unreached: 'stopped',
}

function subtaskNode(subtask: SubtaskView, tree: Tree): TraceNode {
  const { id, ordinal, candidates, result } = subtask
  return {
    ...tree.leaf(rows.subtask(id), 'subtask', text.name(ordinal)),
    detail: shortText(subtask.text, 200),
    whole: () => subtask.text,
    status: STATUS_OF_SUBTASK[subtask.status],
    children: [
      ...candidates.flatMap(({ agent }) => (agent ? [tree.agent(agent)] : [])),
      ...(result
        ? [
            {
              ...tree.leaf(rows.subtaskAnswer(id), 'answer', strings.traceTree.answer),
              detail: result.answer ?? text.nobody,
              agentId: result.agentId,
            },
          ]
        : []),
    ],
  }
}

export const bars = (attempt: AttemptView): readonly Bar[] =>
  divisionOf(attempt).plannerCalls.map((call) => ({
    row: rows.planner(call.ordinal),
    kind: 'planner',
    label: text.planner.name(call.ordinal),
    family: 'planning',
    status: plannerStatus(call, attempt),
    startedAt: call.startedAt,
    endedAt: call.endedAt,
    usage: call.usage,
  }))
