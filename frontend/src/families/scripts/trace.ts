/** The scripts as branches of the trace, with who wrote them and what is wrong; then the agents, then the end. */
import type { Tree } from '@/graph/family'
import { hasStopped, type AgentStatus, type AttemptView } from '@/graph/run-view'
import { shortText } from '@/graph/text'
import type { TraceNode } from '@/graph/tree'
import { formatSeconds } from '@/lib/format'

import { toldOf, writingsOf, type ScriptProblem, type Writing } from './scripts'
import { text } from './words'

const DETAIL_CHARS = 200

export const rows = {
  script: (number: number) => `script-${number}`,
  problem: (number: number, place: number) => `script-${number}/problem-${place}`,
  end: 'script-end',
}

export function branches(attempt: AttemptView, tree: Tree): readonly TraceNode[] {
  const { calls, ended } = toldOf(attempt)
  return [
    ...writingsOf(attempt).map((writing) => scriptNode(writing, attempt, tree)),
    ...calls.flatMap(({ node }) => agentNode(attempt, node.id, tree)),
    ...(ended
      ? [
          {
            ...tree.leaf(rows.end, 'script-end', text.ending[ended.ending]),
            detail:
              ended.problem?.message ??
              text.end.told(ended.calls, ended.seconds > 0 ? formatSeconds(ended.seconds) : null),
            whole: () => [ended.problem?.remedy, ended.printed].filter(Boolean).join('\n'),
            status: ended.ending === 'delivered' ? ('done' as const) : ('failed' as const),
          },
        ]
      : []),
  ]
}

function scriptNode(writing: Writing, attempt: AttemptView, tree: Tree): TraceNode {
  const { number, read, designer } = writing
  return {
    ...tree.leaf(rows.script(number), 'script', text.script.name(number)),
    detail: read ? shortText(read.shape || (read.problems[0]?.message ?? ''), DETAIL_CHARS) : '',
    whole: () => read?.script ?? '',
    status: statusOf(writing, attempt),
    children: [
      ...(designer === null ? [] : agentNode(attempt, designer, tree)),
      ...(read?.problems ?? []).map((problem, index) =>
        problemNode(problem, rows.problem(number, index + 1), tree),
      ),
    ],
  }
}

function statusOf({ read, designer }: Writing, attempt: AttemptView): AgentStatus {
  if (read) return read.problems.length > 0 ? 'failed' : 'done'
  if (hasStopped(attempt)) return 'stopped'
  return attempt.agents.get(designer ?? '')?.status ?? 'active'
}

const problemNode = (problem: ScriptProblem, row: string, tree: Tree): TraceNode => ({
  ...tree.leaf(row, 'script-problem', text.script.problem(problem.line)),
  detail: problem.message,
  whole: () => problem.remedy,
  status: 'failed',
})

function agentNode(attempt: AttemptView, id: string, tree: Tree): TraceNode[] {
  const agent = attempt.agents.get(id)
  return agent ? [tree.agent(agent)] : []
}
