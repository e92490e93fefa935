/** One stored event's effect on the attempt it belongs to. Events arrive here in order of seq. */
import type { AttemptDraft } from './attempt-draft'
import { ownEvents, type GraphFamily, type Named } from './family'
import type { AnswerGroup, FailedTry, RunEvent, Usage } from './frames'
import type { AgentStatus, AgentView, AnswerGroupView, OutcomeView, UsageView } from './run-view'

type Folds = { [E in RunEvent['event']]?: (draft: AttemptDraft, event: Named<E>) => void }

/** A newer server may send events that this page does not draw; they stay in the trace. */
const FOLDS: Folds = {
  run_started: foldStart,
  graph_planned: foldPlan,
  agent_started: foldAgentStart,
  tool_called: foldToolCall,
  tool_returned: foldToolReturn,
  agent_finished: foldAgentFinish,
  agent_failed: foldAgentFailure,
  intermediate_answer: foldIntermediate,
  answer_verified: foldVerdict,
  attempt_lost: foldLoss,
  run_taken_up: foldTakenUp,
  run_paused: foldPause,
  run_finished: foldOutcome,
  run_failed: foldOutcome,
  run_cancelled: foldOutcome,
}

export function foldEvent(
  draft: AttemptDraft,
  event: RunEvent,
  families: readonly GraphFamily[],
): void {
  const fold = FOLDS[event.event] as ((draft: AttemptDraft, event: RunEvent) => void) | undefined
  fold?.(draft, event)
  for (const own of ownEvents(families, event)) own.fold?.(draft, event)
}

function foldIntermediate(draft: AttemptDraft, event: Named<'intermediate_answer'>): void {
  const { step, answer, agent_id: agentId, at } = event
  draft.addIntermediate({ step, answer, agentId, at, groups: groupsOf(older(event.groups) ?? []) })
}

function foldVerdict(draft: AttemptDraft, event: Named<'answer_verified'>): void {
  const { verifier, correct, reward, explanation } = event
  draft.setVerdict({ verifier, correct, reward, explanation })
}

function foldLoss(draft: AttemptDraft, event: Named<'attempt_lost'>): void {
  draft.setLoss({ at: event.at, failure: event.failure, willRetry: event.will_retry })
  stopActive(draft, event.at)
}

function foldTakenUp(draft: AttemptDraft, event: Named<'run_taken_up'>): void {
  draft.setTakenUp({ at: event.at, from: event.attempt, parts: event.parts })
}

function foldPause(draft: AttemptDraft, event: Named<'run_paused'>): void {
  const { at, waiting_for: waitingFor, asked, seconds } = event
  draft.setPause({ at, waitingFor, asked, seconds })
  for (const id of waitingFor) draft.patchAgent(id, statusPatch('held'))
}

function foldOutcome(
  draft: AttemptDraft,
  event: Named<'run_finished' | 'run_failed' | 'run_cancelled'>,
): void {
  draft.setOutcome(outcomeOf(event))
  stopActive(draft, event.at)
}

function foldStart(draft: AttemptDraft, event: Named<'run_started'>): void {
  draft.setStart({
    at: event.at,
    method: event.method,
    query: event.query,
    seed: event.seed,
    endpoint: event.endpoint,
    model: event.model,
    pool: event.pool,
    poolVersion: event.pool_version,
    checkpoint: event.checkpoint,
    trained: event.trained,
  })
}

function foldPlan(draft: AttemptDraft, event: Named<'graph_planned'>): void {
  const edges = event.graph.edges
  for (const node of event.graph.nodes) {
    draft.patchAgent(node.id, {
      roleKey: node.role.key,
      roleName: node.role.name,
      family: node.role.family,
      round: node.round ?? null,
      endpoint: node.endpoint,
      reads: edges.filter((edge) => edge.target === node.id).map((edge) => edge.source),
      settled: true,
    })
  }
  for (const edge of edges) draft.addEdge(edge.source, edge.target, null)
}

export const groupsOf = (groups: readonly AnswerGroup[]): AnswerGroupView[] =>
  groups.map(({ answer, agent_ids: agentIds }) => ({ answer, agentIds }))

function foldAgentStart(draft: AttemptDraft, event: Named<'agent_started'>): void {
  const reads = event.reads
  draft.patchAgent(event.agent_id, {
    roleKey: event.role_key,
    roleName: event.role_name,
    // It belongs to no pool's family: it brings together what the others wrote.
    family: event.summary ? 'synthesis' : event.family,
    reads,
    endpoint: event.endpoint,
    prompt: event.prompt.map((message) => ({
      role: message.role ?? '',
      content: message.content ?? '',
    })),
    summary: event.summary,
    settled: true,
    startedAt: event.at,
    endedAt: null,
    message: null,
    thoughts: '',
    failure: null,
    ...statusPatch('active'),
  })
  for (const source of reads) draft.addEdge(source, event.agent_id, null)
}

function foldToolCall(draft: AttemptDraft, event: Named<'tool_called'>): void {
  const tools = draft.agent(event.agent_id)?.tools ?? []
  const call = {
    callId: event.call_id,
    tool: event.tool,
    truncated: event.truncated === true,
    arguments: event.arguments,
    startedAt: event.at,
    endedAt: null,
    ok: null,
    output: null,
    seconds: null,
    sources: [],
    cached: false,
    cut: false,
    picture: null,
  }
  draft.patchAgent(event.agent_id, { tools: [...tools, call] })
}

function foldToolReturn(draft: AttemptDraft, event: Named<'tool_returned'>): void {
  const result = {
    endedAt: event.at,
    ok: event.ok,
    output: event.output,
    seconds: event.seconds,
    sources: older(event.sources) ?? [],
    cached: older(event.cached) ?? false,
    cut: older(event.cut) ?? false,
    picture: older(event.picture) ?? null,
  }
  const tools = draft.agent(event.agent_id)?.tools ?? []
  draft.patchAgent(event.agent_id, {
    tools: tools.map((call) => (call.callId === event.call_id ? { ...call, ...result } : call)),
  })
}

function foldAgentFinish(draft: AttemptDraft, event: Named<'agent_finished'>): void {
  draft.forgetText(event.agent_id)
  draft.patchAgent(event.agent_id, {
    message: event.message,
    thoughts: older(event.thoughts) ?? '',
    answer: event.answer,
    usage: usageOf(event.usage),
    seconds: event.seconds,
    calls: event.calls,
    retries: event.retries,
    failedTries: orNone(event.failed_tries),
    cached: event.cached,
    truncated: event.truncated,
    // Events that were stored before these were told have none.
    cutCalls: event.cut_calls ?? null,
    tokenLimit: event.token_limit ?? null,
    limitedBy: event.limited_by ?? null,
    ownTemperature: older(event.own_temperature) ?? false,
    given: event.given,
    endedAt: event.at,
    ...statusPatch(event.refused ? 'refused' : event.reused ? 'reused' : 'done'),
  })
}

/** A field that events of an earlier version of the studio do not have. */
export function older<T>(field: T | undefined): T | undefined {
  return field
}

/** Events that were stored before causes were told have none. */
function orNone(tries: readonly FailedTry[] | undefined): readonly FailedTry[] {
  return tries ?? []
}

function foldAgentFailure(draft: AttemptDraft, event: Named<'agent_failed'>): void {
  if (event.written) draft.adoptText(event.agent_id, event.written)
  draft.patchAgent(event.agent_id, {
    failure: event.failure,
    cutCalls: event.cut_calls ?? null,
    failedTries: orNone(event.failed_tries),
    usage: usageOf(event.usage),
    seconds: event.seconds,
    endedAt: event.at,
    ...statusPatch('failed'),
  })
}

function stopActive(draft: AttemptDraft, at: number): void {
  for (const agent of draft.agentList()) {
    if (agent.status !== 'active' && agent.status !== 'held') continue
    draft.patchAgent(agent.id, { endedAt: at, ...statusPatch('stopped') })
  }
}

function outcomeOf(event: Named<'run_finished' | 'run_failed' | 'run_cancelled'>): OutcomeView {
  const finished = event.event === 'run_finished' ? event : null
  const status = finished ? 'succeeded' : event.event === 'run_failed' ? 'failed' : 'cancelled'
  return {
    status,
    at: event.at,
    answer: finished?.answer ?? null,
    message: finished?.message ?? null,
    failure: event.event === 'run_failed' ? event.failure : null,
    cancelledBy: event.event === 'run_cancelled' ? event.by : null,
    usage: usageOf(event.usage),
    seconds: event.seconds,
  }
}

function statusPatch(status: AgentStatus): Pick<AgentView, 'status' | 'outcome'> {
  return { status, outcome: status }
}

export function usageOf(usage: Usage): UsageView {
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    cost: usage.cost,
  }
}

/** "unit_checker" → "Unit checker": shown until the agent starts and tells its role's name. */
export function wordsOf(key: string): string {
  const words = key.replaceAll(/[_-]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
