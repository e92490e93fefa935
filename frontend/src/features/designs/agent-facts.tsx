import { useQuery } from '@tanstack/react-query'

import { FamilyMark } from '@/components/family-mark'
import { queries } from '@/lib/api/queries'

import { namesOf } from './agent-names'
import { useSpec } from './design-store'
import { text } from '@/strings/designs'
import { readersOf, readsOf, samplesOf, type DesignAgent } from './edits'
import { ProblemList } from './problem-list'
import { refusalOf } from './refusal'
import { asksPerson, ownTools } from './roles'
import { useProblemsOf } from './use-problems'

const words = text.panel

/** One agent, to be read by who may not change it. */
export function AgentFacts({ agent }: Readonly<{ agent: DesignAgent }>) {
  const spec = useSpec()
  const found = useProblemsOf(agent.id)
  const endpoints = useQuery(queries.endpoints).data ?? []
  const { role } = agent
  const nameOf = namesOf(spec)
  const sentence = (ids: readonly string[], say: (names: string) => string): string | null =>
    ids.length > 0 ? say(ids.map(nameOf).join(', ')) : null
  const tools = ownTools(role).join(', ')
  const asked = endpoints.find(({ key }) => key === agent.endpoint)
  const endpoint = asked?.name ?? agent.endpoint
  const sample =
    agent.temperature > 0 && agent.sample !== null
      ? words.sample(samplesOf(spec).length, agent.sample)
      : ''
  const facts = [
    [words.fields.prompt, role.prompt],
    [words.fields.reads, sentence(readsOf(spec, agent.id), words.reads) ?? words.readsNobody],
    [words.fields.readBy, sentence(readersOf(spec, agent.id), words.readBy) ?? words.readByNobody],
    [words.fields.endpoint, endpoint ?? words.runsEndpoint],
    [words.fields.temperature, agent.temperature > 0 ? String(agent.temperature) : ''],
    [words.fields.sample, sample],
    [words.fields.tools, tools === '' ? words.usesNoTools : words.usesTools(tools)],
    [words.person, asksPerson(role) ? words.personAsked : ''],
    [words.fields.outputForm, role.output_form],
    [words.fields.refuse, refusalOf(agent, asked)],
    ...(spec.answer_from === agent.id ? [[text.answer.label, words.answersHere] as const] : []),
    ...(spec.vote.includes(agent.id) ? [[text.answer.label, words.votesHere] as const] : []),
  ] as const
  return (
    <div className="flex flex-col gap-3 p-4">
      <FamilyMark family={role.family} />
      <h2 className="text-sm font-semibold">{nameOf(agent.id)}</h2>
      <ProblemList problems={found} />
      <dl className="flex flex-col gap-3 text-sm">
        {facts.map(([name, value]) =>
          value ? (
            <div key={name}>
              <dt className="text-xs text-ink-3">{name}</dt>
              <dd className="break-words whitespace-pre-wrap">{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
    </div>
  )
}
