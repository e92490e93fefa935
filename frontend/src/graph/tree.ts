/** The trace as a tree: attempt → construction step → agent → model message and tool calls. */
import { formatProbability } from '@/lib/format'
import { strings } from '@/lib/strings'

import { agentNames } from './names'
import { shortText } from './text'
import { toolStatus } from './timeline'
import {
  isEnded,
  toldAttempts,
  type AgentStatus,
  type AgentView,
  type AttemptView,
  type RunView,
  type StepView,
  type ToolCallView,
  type UsageView,
} from './run-view'

const words = strings.traceTree

export type TraceKind =
  'attempt' | 'step' | 'agent' | 'prompt' | 'message' | 'tool' | 'answer' | 'verdict' | 'failure'

export interface TraceNode {
  /** Stable while the run grows, so that open branches stay open. */
  readonly id: string
  readonly kind: TraceKind
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

export function traceTree(view: RunView): readonly TraceNode[] {
  return toldAttempts(view).map((attempt) => attemptNode(attempt, view))
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

function attemptNode(attempt: AttemptView, view: RunView): TraceNode {
  const id = `attempt-${attempt.attempt}`
  const agents = [...attempt.agents.values()]
  const names = agentNames(agents)
  const inSteps = new Set(attempt.steps.map((step) => step.agentId))
  const answer = attempt.outcome?.answer ?? null
  return {
    ...leaf(id, 'attempt', words.attempt(attempt.attempt)),
    status: attemptStatus(attempt, view),
    detail: attempt.loss ? words.workerLost : attempt.start ? attempt.start.model : '',
    seconds: attempt.outcome?.seconds ?? null,
    usage: attempt.outcome?.usage ?? null,
    children: [
      ...attempt.steps.map((step) => stepNode(attempt, step, names)),
      ...agents
        .filter((agent) => !inSteps.has(agent.id))
        .map((agent) => agentNode(agent, attempt.attempt, names)),
      ...(answer === null
        ? []
        : [{ ...leaf(`${id}/answer`, 'answer', words.answer), detail: answer }]),
      ...verdict(attempt, id),
      ...failures(attempt, id),
    ],
  }
}

function attemptStatus(attempt: AttemptView, view: RunView): AgentStatus {
  if (attempt.outcome?.status === 'succeeded') return 'done'
  if (attempt.outcome?.status === 'failed' || attempt.loss) return 'failed'
  if (view.status === 'waiting') return 'held'
  if (attempt.outcome || isEnded(view.status)) return 'stopped'
  return 'active'
}

function verdict({ verdict: said }: AttemptView, id: string): TraceNode[] {
  if (!said) return []
  return [
    {
      ...leaf(`${id}/verdict`, 'verdict', said.correct ? words.judgedRight : words.judgedWrong),
      detail: said.explanation,
      status: said.correct ? 'done' : 'failed',
    },
  ]
}

function failures(attempt: AttemptView, id: string): TraceNode[] {
  const all = [attempt.loss?.failure, attempt.outcome?.failure]
  return all.flatMap((failure, index) =>
    failure
      ? [
          {
            ...leaf(`${id}/failure-${index}`, 'failure', failure.message),
            detail: failure.remedy,
            status: 'failed' as const,
          },
        ]
      : [],
  )
}

function stepNode(attempt: AttemptView, step: StepView, names: Names): TraceNode {
  const agent = step.agentId ? attempt.agents.get(step.agentId) : undefined
  const intermediate = attempt.intermediates.find((other) => other.step === step.step)
  const id = `attempt-${attempt.attempt}/step-${step.step}`
  const name = names.get(step.agentId ?? '') ?? step.choice
  const probability = step.candidates.find((other) => other.action === step.choice)?.probability
  return {
    ...leaf(id, 'step', words.step(step.step, words.actions[step.kind](name))),
    detail: probability === undefined ? '' : formatProbability(probability),
    family: agent?.family ?? null,
    agentId: step.agentId,
    children: [
      ...(agent && step.kind === 'add' ? [agentNode(agent, attempt.attempt, names)] : []),
      ...(intermediate && intermediate.answer !== null
        ? [{ ...leaf(`${id}/answer`, 'answer', words.answerSoFar), detail: intermediate.answer }]
        : []),
    ],
  }
}

function agentNode(agent: AgentView, attempt: number, names: Names): TraceNode {
  const { message } = agent
  const id = `attempt-${attempt}/agent-${agent.id}`
  const base = { family: agent.family, agentId: agent.id }
  return {
    ...leaf(id, 'agent', names.get(agent.id) ?? agent.roleName),
    ...base,
    status: agent.status,
    seconds: agent.seconds,
    usage: agent.usage,
    children: [
      ...prompt(agent, id),
      ...agent.tools.map((call) => ({
        ...leaf(`${id}/tool-${call.callId}`, 'tool', call.tool),
        ...base,
        status: toolStatus(agent, call),
        detail: shortText(call.output ?? '', 160),
        whole: () => `${argumentsOf(call)}\n${call.output ?? ''}`,
        seconds: call.seconds,
      })),
      ...(message
        ? [
            {
              ...leaf(`${id}/message`, 'message', words.message),
              ...base,
              detail: shortText(message, 200),
              whole: () => message,
            },
          ]
        : []),
      ...(agent.failure
        ? [
            {
              ...leaf(`${id}/failure`, 'failure', agent.failure.message),
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
function prompt(agent: AgentView, id: string): TraceNode[] {
  const last = agent.prompt.at(-1)
  if (!last) return []
  return [
    {
      ...leaf(`${id}/prompt`, 'prompt', words.prompt),
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

function leaf(id: string, kind: TraceKind, label: string): TraceNode {
  return {
    id,
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
