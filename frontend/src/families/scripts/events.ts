/** The events of a script: their effect on the attempt, their rows of the trace, their words in the replay. */
import type { AttemptDraft } from '@/graph/attempt-draft'
import type { GraphFamily, Named } from '@/graph/family'

import { isDesigner } from './designer'
import { changeTold, toldOf } from './scripts'
import { rows } from './trace'
import { text } from './words'

const { replay: words } = text

export const EVENTS: GraphFamily['events'] = {
  agent_started: {
    fold: (draft, event) => {
      if (!isDesigner(event) || toldOf(draft).designers.includes(event.agent_id)) return
      changeTold(draft, (told) => ({ ...told, designers: [...told.designers, event.agent_id] }))
      draft.setAnsweredBy([])
    },
  },
  script_read: {
    fold: (draft, read) => {
      changeTold(draft, (told) => ({ ...told, reads: [...told.reads, read] }))
      draft.setAnsweredBy([])
    },
    rows: ({ attempt }) => [rows.script(attempt)],
    moment: ({ attempt, problems, drawing }) => {
      const [problem] = problems
      if (problem) return words.unusable(attempt, problem.message)
      const agents = drawing?.blocks.filter(({ kind }) => kind === 'agent').length ?? 0
      return words.read(attempt, agents)
    },
  },
  // No moment: the agent's start, which follows at once, is one.
  block_called: { fold: foldCall },
  script_ended: {
    fold: (draft, ended) => changeTold(draft, (told) => ({ ...told, ended })),
    rows: () => [rows.end],
    moment: ({ ending }) => text.ending[ending],
  },
  // The answer comes from what the script delivers: others whom no agent reads, such as a critic, do not lead to it.
  intermediate_answer: {
    fold: (draft, { agent_id: agent, groups }) => {
      if (toldOf(draft).reads.length === 0) return
      const voted = groups.find(({ agent_ids: ids }) => agent !== null && ids.includes(agent))
      draft.setAnsweredBy(voted?.agent_ids ?? (agent === null ? [] : [agent]))
    },
  },
}

function foldCall(draft: AttemptDraft, call: Named<'block_called'>): void {
  const { node, reads } = call
  changeTold(draft, (told) => ({ ...told, calls: [...told.calls, call] }))
  draft.patchAgent(node.id, {
    roleKey: node.role.key,
    roleName: node.role.name,
    family: node.role.family,
    endpoint: node.endpoint,
    round: node.round ?? null,
    reads,
    settled: true,
  })
  for (const source of reads) draft.addEdge(source, node.id, null)
}
