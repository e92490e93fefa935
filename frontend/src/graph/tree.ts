/** The trace as a tree: attempt → what a family divides it into → agent → model message and tool calls. */
import { strings } from '@/strings/studio'

import type { GraphFamily, Tree } from './family'
import { agentNames } from './names'
import { rowIds } from './rows'
import { shortText } from './text'
import { toolStatus } from './timeline'
import {
  isEnded,
  toldAttempts,
  type AgentStatus,
  type AgentView,
  type AttemptView,
  type RunView,
  type ToolCallView,
  type UsageView,
} from './run-view'

const words = strings.traceTree

export interface TraceNode {
  readonly id: string
  /** Number of the attempt that it belongs to. */
  readonly attempt: number
  /** 'attempt', 'continued', 'agent', 'prompt', 'message', 'tool', 'answer', 'verdict', 'failure' or a family's own. */
  readonly kind: string
  readonly label: string
  /** One line, cut to a readable length. */
  readonly detail: string
  /** All that was said there, for a search; long, so it is put together only for one. */
  readonly whole: () => string
  readonly status: AgentStatus | null
  readonly family: string | null
  readonly agentId: string | null
  readonly seconds: number | null
  readonly usage: UsageView | null
  readonly children: readonly TraceNode[]
}

type Names = ReadonlyMap<string, string>

/** A visible row, with what `role=treeitem` has to tell. */
export interface TraceRow {
  readonly node: TraceNode
  readonly level: number
  readonly position: number
  readonly siblings: number
  readonly parentId: string | null
  readonly expanded: boolean | null
}

export function traceTree(view: RunView, families: readonly GraphFamily[]): readonly TraceNode[] {
  return toldAttempts(view).map((attempt) => attemptNode(attempt, view, families))
}

/** Depth first; `isOpen` decides which branches show their children. */
export function visibleRows(
  roots: readonly TraceNode[],
  isOpen: (node: TraceNode) => boolean,
): TraceRow[] {
  const rows: TraceRow[] = []
  const walk = (nodes: readonly TraceNode[], level: number, parentId: string | null): void => {
    nodes.forEach((node, index) => {
      const expanded = node.children.length > 0 ? isOpen(node) : null
      rows.push({ node, level, position: index + 1, siblings: nodes.length, parentId, expanded })
      if (expanded) walk(node.children, level + 1, node.id)
    })
  }
  walk(roots, 1, null)
  return rows
}

/** The row of this id, or as much of the way to it as is open: what a reader can see of it. */
export function nearestRow(rows: readonly TraceRow[], roots: readonly TraceNode[], id: string) {
  const visible = new Set(rows.map(({ node }) => node.id))
  return pathTo(roots, id).findLast((step) => visible.has(step)) ?? null
}

function pathTo(nodes: readonly TraceNode[], id: string): readonly string[] {
  for (const node of nodes) {
    if (node.id === id) return [id]
    const rest = pathTo(node.children, id)
    if (rest.length > 0) return [node.id, ...rest]
  }
  return []
}

function attemptNode(
  attempt: AttemptView,
  view: RunView,
  families: readonly GraphFamily[],
): TraceNode {
  const number = attempt.attempt
  const agents = [...attempt.agents.values()]
  const names = agentNames(agents)
  const tree: Tree = {
    names,
    leaf: (row, kind, label) => leaf(number, rowIds.own(number, row), kind, label),
    agent: (agent) => agentNode(agent, number, names),
  }
  const branches = families.flatMap((family) => family.branches?.(attempt, tree) ?? [])
  const inBranches = new Set(agentsIn(branches))
  const answer = attempt.outcome?.answer ?? null
  return {
    ...leaf(number, rowIds.attempt(number), kindOf(attempt, view), words.attempt(number)),
    status: attemptStatus(attempt, view),
    detail: detailOf(attempt),
    seconds: attempt.outcome?.seconds ?? null,
    usage: attempt.outcome?.usage ?? null,
    children: [
      ...branches,
      ...agents.filter((agent) => !inBranches.has(agent.id)).map(tree.agent),
      ...(answer === null
        ? []
        : [{ ...leaf(number, rowIds.answer(number), 'answer', words.answer), detail: answer }]),
      ...verdict(attempt),
      ...failures(attempt),
    ],
  }
}

/** 'continued': a later attempt holds all that it had finished. */
const kindOf = ({ attempt }: AttemptView, { attempts }: RunView): string =>
  attempts.some(({ takenUp }) => takenUp?.from === attempt) ? 'continued' : 'attempt'

function detailOf({ loss, takenUp, start }: AttemptView): string {
  if (loss) return words.workerLost
  if (takenUp) return words.continues(takenUp.from)
  return start ? start.model : ''
}

function attemptStatus(attempt: AttemptView, view: RunView): AgentStatus {
  if (attempt.outcome?.status === 'succeeded') return 'done'
  if (attempt.outcome?.status === 'failed' || attempt.loss) return 'failed'
  if (view.status === 'waiting') return 'held'
  if (attempt.outcome || isEnded(view.status)) return 'stopped'
  return 'active'
}

function verdict({ attempt, verdict: said }: AttemptView): TraceNode[] {
  if (!said) return []
  const label = said.correct ? words.judgedRight : words.judgedWrong
  return [
    {
      ...leaf(attempt, rowIds.verdict(attempt), 'verdict', label),
      detail: said.explanation,
      status: said.correct ? 'done' : 'failed',
    },
  ]
}

function failures({ attempt, loss, outcome }: AttemptView): TraceNode[] {
  const all = [
    [rowIds.loss(attempt), loss?.failure],
    [rowIds.failure(attempt), outcome?.failure],
  ] as const
  return all.flatMap(([id, failure]) =>
    failure
      ? [
          {
            ...leaf(attempt, id, 'failure', failure.message),
            detail: failure.remedy,
            status: 'failed' as const,
          },
        ]
      : [],
  )
}

const agentsIn = (nodes: readonly TraceNode[]): (string | null)[] =>
  nodes.flatMap(({ kind, agentId, children }) =>
    kind === 'agent' ? [agentId] : agentsIn(children),
  )

function agentNode(agent: AgentView, attempt: number, names: Names): TraceNode {
  const { id, message } = agent
  const base = { family: agent.family, agentId: agent.id }
  return {
    ...leaf(attempt, rowIds.agent(attempt, id), 'agent', names.get(id) ?? agent.roleName),
    ...base,
    status: agent.status,
    seconds: agent.seconds,
    usage: agent.usage,
    children: [
      ...prompt(agent, attempt),
      ...agent.tools.map((call) => ({
        ...leaf(attempt, rowIds.tool(attempt, id, call.callId), 'tool', call.tool),
        ...base,
        status: toolStatus(agent, call),
        detail: shortText(call.output ?? '', 160),
        whole: () => `${argumentsOf(call)}\n${call.output ?? ''}`,
        seconds: call.seconds,
      })),
      ...(message
        ? [
            {
              ...leaf(attempt, rowIds.message(attempt, id), 'message', words.message),
              ...base,
              detail: shortText(message, 200),
              whole: () => message,
            },
          ]
        : []),
      ...(agent.failure
        ? [
            {
              ...leaf(attempt, rowIds.agentFailure(attempt, id), 'failure', agent.failure.message),
              ...base,
              status: 'failed' as const,
              detail: agent.failure.remedy,
            },
          ]
        : []),
    ],
  }
}

/** The question stands in every prompt; what tells one from another comes last. */
function prompt(agent: AgentView, attempt: number): TraceNode[] {
  const last = agent.prompt.at(-1)
  if (!last) return []
  return [
    {
      ...leaf(attempt, rowIds.prompt(attempt, agent.id), 'prompt', words.prompt),
      family: agent.family,
      agentId: agent.id,
      detail: shortText(last.content, 200),
      whole: () => agent.prompt.map(({ content }) => content).join('\n'),
    },
  ]
}

/** As people would type them: a text argument without the escapes of JSON. */
const argumentsOf = (call: ToolCallView): string =>
  Object.values(call.arguments)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join('\n')

function leaf(attempt: number, id: string, kind: string, label: string): TraceNode {
  return {
    id,
    attempt,
    kind,
    label,
    detail: '',
    whole: () => '',
    status: null,
    family: null,
    agentId: null,
    seconds: null,
    usage: null,
    children: [],
  }
}
