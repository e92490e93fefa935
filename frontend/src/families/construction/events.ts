/** The events of a construction: their effect on the attempt, their rows of the trace, their words in the replay. */
import type { AttemptDraft } from '@/graph/attempt-draft'
import type { GraphFamily, Named } from '@/graph/family'
import { older, wordsOf } from '@/graph/fold-event'

import { changeConstruction, constructionOf } from './steps'
import { rows } from './trace'
import { text } from './words'

export const EVENTS: GraphFamily['events'] = {
  node_sampled: {
    fold: foldNode,
    rows: ({ step }) => [rows.step(step)],
    moment: ({ kind, choice, agent_id: agent }, { nameOf, roleName }) => {
      if (kind === 'exit') return text.exit
      return kind === 'add'
        ? text.add(nameOf(agent) || roleName(choice))
        : text.remove(nameOf(agent))
    },
  },
  // No moment: edges belong to the step that adds their agent.
  edges_sampled: { fold: foldEdges },
  revision_asked: { fold: foldRevision },
  intermediate_answer: { rows: ({ step }) => [rows.soFar(step)] },
}

function foldNode(draft: AttemptDraft, event: Named<'node_sampled'>): void {
  for (const agent of draft.agentList()) {
    if (!agent.settled) draft.patchAgent(agent.id, { settled: true })
  }
  changeConstruction(draft, (known) => ({
    ...known,
    steps: [
      ...known.steps,
      {
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
      },
    ],
  }))
  if (!event.agent_id) return
  if (event.kind === 'add') {
    draft.patchAgent(event.agent_id, { roleKey: event.choice, roleName: wordsOf(event.choice) })
  }
  if (event.kind === 'delete') {
    const revisions = [...constructionOf(draft).senders].filter(
      ([, sender]) => sender === event.agent_id,
    )
    for (const id of [event.agent_id, ...revisions.map(([revision]) => revision)])
      draft.patchAgent(id, {
        status: 'removed',
        outcome: draft.agent(id)?.status ?? 'waiting',
        removedAt: event.at,
      })
  }
}

function foldEdges(draft: AttemptDraft, event: Named<'edges_sampled'>): void {
  const chosen = event.candidates.filter((candidate) => candidate.chosen)
  const drawn = {
    edges: event.candidates,
    back: (older(event.back) ?? []).map(({ target: source, probability, chosen: sent }) => ({
      source,
      probability,
      chosen: sent,
    })),
  }
  changeConstruction(draft, (known) => ({
    ...known,
    steps: known.steps.map((step) => (step.step === event.step ? { ...step, ...drawn } : step)),
  }))
  draft.patchAgent(event.agent_id, { reads: chosen.map((edge) => edge.source), settled: true })
  for (const edge of chosen) draft.addEdge(edge.source, event.agent_id, edge.probability)
}

function foldRevision(draft: AttemptDraft, event: Named<'revision_asked'>): void {
  const { agent_id: id, revises, sender, reads, round } = event
  const before = draft.agent(revises)
  if (before?.round === null) draft.patchAgent(revises, { round: 1 })
  changeConstruction(draft, (known) => ({
    ...known,
    senders: new Map(known.senders).set(id, sender),
  }))
  draft.patchAgent(id, {
    roleKey: before?.roleKey ?? '',
    roleName: before?.roleName ?? id,
    family: before?.family ?? null,
    round,
    reads,
    settled: true,
  })
  draft.addEdge(sender, revises, null, true)
  for (const source of reads) draft.addEdge(source, id, null)
}
