/** The waterfall: when the planner, each agent and each tool call worked, on one clock that starts with the attempt. */
import { text as planning } from '@/strings/planning'

import { agentNames } from './names'
import type { AgentStatus, AgentView, AttemptView, ToolCallView, UsageView } from './run-view'
import { rowIds } from './rows'
import { plannerStatus, subtaskOfAgent, type PlannerCallView } from './task-graph'
import { shortText } from './text'
import { timeTicks, type Tick } from './time-axis'

const SUBTASK_CHARS = 120

export interface TimelineSubtask {
  readonly ordinal: number
  /** Its beginning. */
  readonly text: string
}

export interface TimelineRow {
  readonly id: string
  readonly kind: 'planner' | 'agent' | 'tool'
  /** null: a planner is no agent. */
  readonly agentId: string | null
  /** Of the trace, for the same. */
  readonly rowId: string
  readonly depth: 0 | 1
  readonly label: string
  /** What the agent was asked, of a query that is divided. */
  readonly subtask: TimelineSubtask | null
  readonly family: string | null
  readonly status: AgentStatus
  /** Seconds after the start of the attempt. */
  readonly start: number
  readonly end: number
  /** Still going on: `end` moves with the clock. */
  readonly open: boolean
  readonly usage: UsageView | null
  readonly cached: boolean
}

export interface Timeline {
  /** Number of the attempt. */
  readonly attempt: number
  /** When the clock starts, in Unix seconds by the worker's. */
  readonly origin: number
  readonly rows: readonly TimelineRow[]
  /** Seconds that the axis covers. */
  readonly duration: number
  readonly ticks: readonly Tick[]
  /** The largest number of agents at work at the same time. */
  readonly peak: number
}

/** `now`: Unix seconds by the worker's clock; null when nothing goes on any more. */
export function timelineOf(attempt: AttemptView, now: number | null, mostTicks = 8): Timeline {
  const origin = originOf(attempt)
  const latest = Math.max(attempt.lastAt ?? origin, now ?? -Infinity)
  const agents = [...attempt.agents.values()]
    .filter((agent) => agent.startedAt !== null)
    .sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0) || a.ordinal - b.ordinal)
  const names = agentNames(attempt.agents.values())
  const asked = agents.flatMap((agent) => [
    {
      ...agentRow(agent, origin, latest),
      subtask: subtaskOf(attempt, agent),
      rowId: rowIds.agent(attempt.attempt, agent.id),
      label: names.get(agent.id) ?? agent.roleName,
    },
    ...agent.tools.map((call) => ({
      ...toolRow(agent, call, origin, latest),
      rowId: rowIds.tool(attempt.attempt, agent.id, call.callId),
    })),
  ])
  const rows = [...attempt.plannerCalls.map((call) => plannerRow(call, attempt, latest)), ...asked]
  const duration = Math.max(latest - origin, ...rows.map((row) => row.end), 0)
  const ticks = timeTicks(duration, mostTicks)
  return { attempt: attempt.attempt, origin, rows, duration, ticks, peak: peakOf(rows) }
}

function subtaskOf({ taskGraph }: AttemptView, { id }: AgentView): TimelineSubtask | null {
  const found = subtaskOfAgent(taskGraph, id)
  return found && { ordinal: found.ordinal, text: shortText(found.text, SUBTASK_CHARS) }
}

function originOf(attempt: AttemptView): number {
  return attempt.start?.at ?? attempt.events.first?.event.at ?? 0
}

function plannerRow(call: PlannerCallView, attempt: AttemptView, latest: number): TimelineRow {
  const { ordinal, startedAt, endedAt, usage } = call
  const origin = originOf(attempt)
  const rowId = rowIds.planner(attempt.attempt, ordinal)
  const status = plannerStatus(call, attempt)
  return {
    id: rowId,
    kind: 'planner',
    agentId: null,
    rowId,
    depth: 0,
    label: planning.name(ordinal),
    subtask: null,
    family: 'planning',
    status,
    start: Math.max(0, startedAt - origin),
    end: Math.max(startedAt, endedAt ?? latest) - origin,
    open: status === 'active',
    usage,
    cached: false,
  }
}

function agentRow(
  agent: AgentView,
  origin: number,
  latest: number,
): Omit<TimelineRow, 'rowId' | 'subtask'> {
  const start = agent.startedAt ?? origin
  return {
    id: agent.id,
    kind: 'agent',
    agentId: agent.id,
    depth: 0,
    label: agent.roleName,
    family: agent.family,
    status: agent.status,
    start: Math.max(0, start - origin),
    end: Math.max(start, agent.endedAt ?? latest) - origin,
    open: agent.endedAt === null,
    usage: agent.usage,
    cached: agent.cached === true,
  }
}

function toolRow(
  agent: AgentView,
  call: ToolCallView,
  origin: number,
  latest: number,
): Omit<TimelineRow, 'rowId'> {
  const end = call.endedAt ?? agent.endedAt ?? latest
  return {
    id: `${agent.id}/${call.callId}`,
    kind: 'tool',
    agentId: agent.id,
    depth: 1,
    label: call.tool,
    subtask: null,
    family: agent.family,
    status: toolStatus(agent, call),
    start: Math.max(0, call.startedAt - origin),
    end: Math.max(call.startedAt, end) - origin,
    open: call.endedAt === null && agent.endedAt === null,
    usage: null,
    cached: false,
  }
}

export function toolStatus(agent: AgentView, call: ToolCallView): AgentStatus {
  if (call.ok === true) return 'done'
  if (call.ok === false) return 'failed'
  return agent.endedAt === null ? 'active' : 'stopped'
}

function peakOf(rows: readonly TimelineRow[]): number {
  const changes = rows
    .filter((row) => row.kind === 'agent')
    .flatMap((row) => [
      { at: row.start, by: 1 },
      { at: row.end, by: -1 },
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by)
  let running = 0
  let peak = 0
  for (const change of changes) {
    running += change.by
    peak = Math.max(peak, running)
  }
  return peak
}
