/** What changed from one state of a design to another, in words that a person would use. */
import { text } from '@/strings/designs'
import { edgeId, type DesignAgent, type DesignSpec, type Edge } from './edits'

export interface FieldChange {
  readonly field: string
  readonly before: string
  readonly after: string
}

export interface AgentChange {
  readonly agent: DesignAgent
  readonly fields: readonly FieldChange[]
}

export interface DesignDiff {
  readonly added: readonly DesignAgent[]
  readonly removed: readonly DesignAgent[]
  readonly changed: readonly AgentChange[]
  readonly connected: readonly Edge[]
  readonly disconnected: readonly Edge[]
  readonly answer: FieldChange | null
  readonly summary: boolean | null
  /** Of the script; of a drawing it is empty. */
  readonly script: FieldChange | null
  /** Of the summary agent, where both have one. */
  readonly temperature: FieldChange | null
}

const TEXTS = [
  'name',
  'family',
  'description',
  'prompt',
  'output_form',
  'refuse_condition',
] as const
const LISTS = ['tools', 'capabilities'] as const

/** Where a card stands is no change: it makes no difference to what runs. */
export function diffOf(before: DesignSpec, after: DesignSpec): DesignDiff {
  const old = new Map(before.agents.map((agent) => [agent.id, agent]))
  const now = new Map(after.agents.map((agent) => [agent.id, agent]))
  const oldEdges = new Set(before.edges.map(edgeId))
  const newEdges = new Set(after.edges.map(edgeId))
  return {
    added: after.agents.filter(({ id }) => !old.has(id)),
    removed: before.agents.filter(({ id }) => !now.has(id)),
    changed: after.agents.flatMap((agent) => {
      const earlier = old.get(agent.id)
      const fields = earlier ? fieldsOf(earlier, agent) : []
      return fields.length > 0 ? [{ agent, fields }] : []
    }),
    connected: after.edges.filter((edge) => !oldEdges.has(edgeId(edge))),
    disconnected: before.edges.filter((edge) => !newEdges.has(edgeId(edge))),
    answer: answerChange(before, after),
    summary: before.summary === after.summary ? null : after.summary,
    script:
      before.script === after.script
        ? null
        : { field: '', before: before.script ?? '', after: after.script ?? '' },
    temperature:
      before.summary && after.summary && before.summary_temperature !== after.summary_temperature
        ? {
            field: 'temperature',
            before: String(before.summary_temperature),
            after: String(after.summary_temperature),
          }
        : null,
  }
}

export const isEmpty = (diff: DesignDiff): boolean =>
  [diff.added, diff.removed, diff.changed, diff.connected, diff.disconnected].every(
    (part) => part.length === 0,
  ) &&
  diff.answer === null &&
  diff.summary === null &&
  diff.script === null &&
  diff.temperature === null

export const nameIn = (design: DesignSpec, id: string | null): string => {
  const agent = design.agents.find((each) => each.id === id)
  return agent ? agent.role.name.trim() || agent.id : ''
}

const sampleOf = ({ sample }: DesignAgent): string => (sample === null ? '' : `+${sample}`)

/** Whose answer counts; of a vote everybody who votes, in the order in which they are counted. */
function answerChange(before: DesignSpec, after: DesignSpec): FieldChange | null {
  const answering = ({ answer_from: id, vote }: DesignSpec): string =>
    vote.length > 0 ? `vote ${vote.join(' ')}` : (id ?? '')
  const named = (design: DesignSpec): string =>
    design.vote.length > 0
      ? text.answer.voteOf(design.vote.map((id) => nameIn(design, id)).join(', '))
      : nameIn(design, design.answer_from)
  return answering(before) === answering(after)
    ? null
    : { field: 'answer_from', before: named(before), after: named(after) }
}

function fieldsOf(before: DesignAgent, after: DesignAgent): FieldChange[] {
  const pairs: (readonly [string, string, string])[] = [
    ...TEXTS.map((field) => [field, before.role[field], after.role[field]] as const),
    ...LISTS.map(
      (field) => [field, before.role[field].join(', '), after.role[field].join(', ')] as const,
    ),
    ['endpoint', before.endpoint ?? '', after.endpoint ?? ''],
    ['temperature', String(before.temperature), String(after.temperature)],
    ['sample', sampleOf(before), sampleOf(after)],
  ]
  return pairs
    .filter(([, left, right]) => left !== right)
    .map(([field, left, right]) => ({ field, before: left, after: right }))
}
