/** The waterfall: when each agent, each tool call and all else worked, on one clock that starts with the attempt. */
import { firstOf, type AgentFact, type Bar, type GraphFamily } from './family'
import { agentNames } from './names'
import type { AgentStatus, AgentView, AttemptView, ToolCallView, UsageView } from './run-view'
import { rowIds } from './rows'
import { timeTicks, type Tick } from './time-axis'

export interface TimelineRow {
  readonly id: string
  /** 'agent', 'tool' or a family's own. */
  readonly kind: string
  /** null: a family's row, of no agent. */
  readonly agentId: string | null
  /** Of the trace, for the same. */
  readonly rowId: string
  readonly depth: 0 | 1
  readonly label: string
  readonly fact: AgentFact | null
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
export function timelineOf(
  attempt: AttemptView,
  families: readonly GraphFamily[],
  now: number | null,
  mostTicks = 8,
): Timeline {
  const origin = originOf(attempt)
  const latest = Math.max(attempt.lastAt ?? origin, now ?? -Infinity)
  const agents = [...attempt.agents.values()]
    .filter((agent) => agent.startedAt !== null)
    .sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0) || a.ordinal - b.ordinal)
  const names = agentNames(attempt.agents.values())
  const asked = agents.flatMap((agent) => [
    {
      ...agentRow(agent, origin, latest),
      fact: firstOf(families, ({ factOf }) => factOf?.(attempt, agent.id)),
      rowId: rowIds.agent(attempt.attempt, agent.id),
      label: names.get(agent.id) ?? agent.roleName,
    },
    ...agent.tools.map((call) => ({
      ...toolRow(agent, call, origin, latest),
      rowId: rowIds.tool(attempt.attempt, agent.id, call.callId),
    })),
  ])
  const others = families.flatMap(({ bars }) => bars?.(attempt) ?? [])
  const rows = [...others.map((bar) => ownRow(bar, attempt.attempt, origin, latest)), ...asked]
  const duration = Math.max(latest - origin, ...rows.map((row) => row.end), 0)
  const ticks = timeTicks(duration, mostTicks)
  return { attempt: attempt.attempt, origin, rows, duration, ticks, peak: peakOf(rows) }
}

function originOf(attempt: AttemptView): number {
  return attempt.start?.at ?? attempt.events.first?.event.at ?? 0
}

function ownRow(bar: Bar, attempt: number, origin: number, latest: number): TimelineRow {
  const { row, startedAt, endedAt, ...told } = bar
  const rowId = rowIds.own(attempt, row)
  return {
    ...told,
    id: rowId,
    agentId: null,
    rowId,
    depth: 0,
    fact: null,
    start: Math.max(0, startedAt - origin),
    end: Math.max(startedAt, endedAt ?? latest) - origin,
    open: told.status === 'active',
    cached: false,
  }
}

function agentRow(
  agent: AgentView,
  origin: number,
  latest: number,
): Omit<TimelineRow, 'rowId' | 'fact'> {
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
    fact: null,
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
