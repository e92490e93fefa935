/** One stored event's effect on the attempt it belongs to. Events arrive here in order of seq. */
import type { AttemptDraft } from './attempt-draft'
import type { AnswerGroup, FailedTry, RunEvent, Usage } from './frames'
import type { AgentStatus, AgentView, OutcomeView, UsageView } from './run-view'
import type { AnswerGroupView } from './task-graph'

type Named<E extends RunEvent['event']> = Extract<RunEvent, { event: E }>

type Folds = { [E in RunEvent['event']]?: (draft: AttemptDraft, event: Named<E>) => void }

/** A newer server may send events that this page does not draw; they stay in the trace. */
const FOLDS: Folds = {
  run_started: foldStart,
  graph_planned: foldPlan,
  node_sampled: foldNode,
  edges_sampled: foldEdges,
  revision_asked: foldRevision,
  planner_asked: foldPlanner,
  plan_rejected: foldRejection,
  subtasks_planned: foldSubtasks,
  candidates_scored: foldSearch,
  subtask_answered: foldResult,
  agent_started: foldAgentStart,
  tool_called: foldToolCall,
  tool_returned: foldToolReturn,
  agent_finished: foldAgentFinish,
  agent_failed: foldAgentFailure,
  intermediate_answer: foldIntermediate,
  answer_verified: foldVerdict,
  attempt_lost: foldLoss,
  run_paused: foldPause,
  run_finished: foldOutcome,
  run_failed: foldOutcome,
  run_cancelled: foldOutcome,
}

export function foldEvent(draft: AttemptDraft, event: RunEvent): void {
  const fold = FOLDS[event.event] as ((draft: AttemptDraft, event: RunEvent) => void) | undefined
  fold?.(draft, event)
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

function foldPlanner(draft: AttemptDraft, event: Named<'planner_asked'>): void {
  const { at: startedAt, endpoint, ordinal } = event
  draft.addPlannerCall({
    ordinal,
    endpoint,
    startedAt,
    endedAt: null,
    usage: null,
    rejected: null,
  })
}

function foldRejection(draft: AttemptDraft, event: Named<'plan_rejected'>): void {
  const { at: endedAt, problem, remedy, reply, usage } = event
  draft.endPlannerCall({ endedAt, usage: usageOf(usage), rejected: { problem, remedy, reply } })
}

function foldSubtasks(draft: AttemptDraft, event: Named<'subtasks_planned'>): void {
  const { planner, task_graph: graph } = event
  draft.endPlannerCall({ endedAt: event.at, usage: usageOf(event.usage), rejected: null })
  draft.setTaskGraph({
    planner,
    subtasks: graph.subtasks.map(({ id, text, depends_on: dependsOn, reference }) => ({
      id,
      text,
      dependsOn,
      reference,
    })),
    searches: new Map(),
    results: new Map(),
  })
}

function foldSearch(draft: AttemptDraft, event: Named<'candidates_scored'>): void {
  const { subtask, candidates, selections, nearest, threshold } = event
  draft.addSearch(subtask, { candidates, selections, nearest, threshold })
}

function foldResult(draft: AttemptDraft, event: Named<'subtask_answered'>): void {
  // Events that were stored before these were told have none.
  const { correct, solved }: Partial<Pick<typeof event, 'correct' | 'solved'>> = event
  draft.addResult(event.subtask, {
    agentId: event.agent_id,
    answer: event.answer,
    correct: correct ?? null,
    solved: solved ?? null,
    rewards: new Map(event.rewards.map((reward) => [reward.agent_id, reward])),
    groups: groupsOf(event.groups),
  })
}

const groupsOf = (groups: readonly AnswerGroup[]): AnswerGroupView[] =>
  groups.map(({ answer, agent_ids: agentIds }) => ({ answer, agentIds }))

function foldNode(draft: AttemptDraft, event: Named<'node_sampled'>): void {
  for (const agent of draft.agentList()) {
    if (!agent.settled) draft.patchAgent(agent.id, { settled: true })
  }
  draft.addStep({
    step: event.step,
    at: event.at,
    kind: event.kind,
    choice: event.choice,
    agentId: event.agent_id,
    greedy: event.greedy,
    outOfScope: older(event.out_of_scope) ?? false,
    logProbability: event.log_probability,
    candidates: event.candidates,
    edges: [],
    back: [],
  })
  if (!event.agent_id) return
  if (event.kind === 'add') {
    draft.patchAgent(event.agent_id, {
      step: event.step,
      roleKey: event.choice,
      roleName: wordsOf(event.choice),
    })
  }
  if (event.kind === 'delete') {
    const asked = draft.agentList().filter(({ sentBackBy }) => sentBackBy === event.agent_id)
    for (const id of [event.agent_id, ...asked.map((agent) => agent.id)])
      draft.patchAgent(id, {
        status: 'removed',
        outcome: draft.agent(id)?.status ?? 'waiting',
        removedAt: event.at,
      })
  }
}

function foldEdges(draft: AttemptDraft, event: Named<'edges_sampled'>): void {
  const chosen = event.candidates.filter((candidate) => candidate.chosen)
  draft.patchStep(event.step, {
    edges: event.candidates,
    back: (older(event.back) ?? []).map(({ target: source, probability, chosen: sent }) => ({
      source,
      probability,
      chosen: sent,
    })),
  })
  draft.patchAgent(event.agent_id, { reads: chosen.map((edge) => edge.source), settled: true })
  for (const edge of chosen) draft.addEdge(edge.source, event.agent_id, edge.probability)
}

function foldRevision(draft: AttemptDraft, event: Named<'revision_asked'>): void {
  const { agent_id: id, revises, sender, reads, round } = event
  const before = draft.agent(revises)
  if (before?.round === null) draft.patchAgent(revises, { round: 1 })
  draft.patchAgent(id, {
    roleKey: before?.roleKey ?? '',
    roleName: before?.roleName ?? id,
    family: before?.family ?? null,
    round,
    reads,
    sentBackBy: sender,
    settled: true,
  })
  draft.addEdge(sender, revises, null, true)
  for (const source of reads) draft.addEdge(source, id, null)
}

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
  }
  draft.patchAgent(event.agent_id, { tools: [...tools, call] })
}

function foldToolReturn(draft: AttemptDraft, event: Named<'tool_returned'>): void {
  const result = {
    endedAt: event.at,
    ok: event.ok,
    output: event.output,
    seconds: event.seconds,
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
function older<T>(field: T | undefined): T | undefined {
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
