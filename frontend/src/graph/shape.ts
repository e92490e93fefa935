/**
 * The drawn graph as plain data: the query, the agents in order of appearance, the answer, and who reads whom.
 *
 * Every agent is given the query; the line from it is drawn only to agents that read nobody else.
 */
import type { AgentView, AttemptView, EdgeView } from './run-view'

export const QUERY_ID = 'query:source'
export const ANSWER_ID = 'answer:sink'

export interface ShapeNode {
  readonly id: string
  readonly kind: 'query' | 'agent' | 'answer'
  readonly agent: AgentView | null
  /** The nodes whose output it reads. */
  readonly reads: readonly string[]
}

export interface ShapeEdge {
  readonly id: string
  readonly source: string
  readonly target: string
  /** `back`: points to a message that was there before, which its agent then revises. */
  readonly kind: 'query' | 'message' | 'back' | 'answer'
  readonly probability: number | null
  /** The target is working on what came along this edge right now. */
  readonly active: boolean
  readonly removed: boolean
}

export interface Shape {
  readonly nodes: readonly ShapeNode[]
  readonly edges: readonly ShapeEdge[]
}

/** `answered`: the answer node is drawn once there is an answer to show. */
export function shapeOf(attempt: AttemptView | null, answered: boolean): Shape {
  const agents = attempt ? [...attempt.agents.values()].filter((agent) => agent.settled) : []
  const drawn = new Set(agents.map((agent) => agent.id))
  const edges = (attempt?.edges ?? []).filter(
    (edge) => drawn.has(edge.source) && drawn.has(edge.target),
  )
  const forward = edges.filter((edge) => !edge.back)
  const sources = sourcesOf(forward)
  const sinks = answered ? answeringAgents(agents, forward, attempt) : []
  return {
    nodes: [
      { id: QUERY_ID, kind: 'query', agent: null, reads: [] },
      ...agents.map((agent) => agentNode(agent, sources.get(agent.id))),
      ...(answered
        ? [{ id: ANSWER_ID, kind: 'answer' as const, agent: null, reads: sinks.map((a) => a.id) }]
        : []),
    ],
    edges: [
      ...agents.filter((agent) => !sources.has(agent.id)).map(queryEdge),
      ...edges.map((edge) => messageEdge(edge, attempt)),
      ...sinks.map(answerEdge),
    ],
  }
}

/** The summary agent where there is one; else those that a family names; else every agent that nobody
 * reads. */
function answeringAgents(
  agents: readonly AgentView[],
  edges: readonly EdgeView[],
  attempt: AttemptView | null,
): AgentView[] {
  const present = agents.filter((agent) => agent.status !== 'removed')
  const summaries = present.filter((agent) => agent.summary)
  if (summaries.length > 0) return summaries
  const named = attempt?.answeredBy
  if (named) return present.filter(({ id }) => named.includes(id))
  const read = new Set(edges.map((edge) => edge.source))
  return present.filter((agent) => !read.has(agent.id))
}

/** By reader, whom it reads. */
function sourcesOf(edges: readonly EdgeView[]): ReadonlyMap<string, readonly string[]> {
  const sources = new Map<string, string[]>()
  for (const { source, target } of edges) {
    const known = sources.get(target)
    if (known) known.push(source)
    else sources.set(target, [source])
  }
  return sources
}

function agentNode(agent: AgentView, reads: readonly string[] = [QUERY_ID]): ShapeNode {
  return { id: agent.id, kind: 'agent', agent, reads }
}

function queryEdge(agent: AgentView): ShapeEdge {
  return {
    id: `${QUERY_ID}→${agent.id}`,
    source: QUERY_ID,
    target: agent.id,
    kind: 'query',
    probability: null,
    active: agent.status === 'active',
    removed: agent.status === 'removed',
  }
}

function messageEdge(edge: EdgeView, attempt: AttemptView | null): ShapeEdge {
  const source = attempt?.agents.get(edge.source)
  const target = attempt?.agents.get(edge.target)
  return {
    id: edge.id,
    source: edge.source,
    target: edge.target,
    probability: edge.probability,
    kind: edge.back ? 'back' : 'message',
    active: target?.status === 'active',
    removed: source?.status === 'removed' || target?.status === 'removed',
  }
}

function answerEdge(agent: AgentView): ShapeEdge {
  return {
    id: `${agent.id}→${ANSWER_ID}`,
    source: agent.id,
    target: ANSWER_ID,
    kind: 'answer',
    probability: null,
    active: false,
    removed: false,
  }
}
