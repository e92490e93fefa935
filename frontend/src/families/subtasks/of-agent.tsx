import { Section } from '@/components/fact'
import type { AgentSectionProps } from '@/components/run/family-views'
import { useRun } from '@/components/run/run-context'

import { divisionOf, searchOfAgent, subtaskOfAgent } from './task-graph'
import { whyPicked } from './why-picked'
import { text } from './words'

/** The subtask that the agent was asked, and the way to it. */
export function SubtaskOf({ agent: { id }, onOpen }: Readonly<AgentSectionProps>) {
  const graph = useRun(({ attempt }) => divisionOf(attempt).taskGraph)
  const subtask = subtaskOfAgent(graph, id)
  if (!subtask) return null
  const counts = graph?.results.get(subtask.id)?.agentId === id
  const name = text.short(subtask.ordinal, subtask.text)
  return (
    <Section title={text.agent.title}>
      {onOpen ? (
        <button
          type="button"
          onClick={() => onOpen(subtask.id)}
          className="self-start rounded-sm text-left font-medium text-accent underline underline-offset-2"
        >
          {name}
        </button>
      ) : (
        <p>{name}</p>
      )}
      {counts ? <p className="text-xs text-ink-3">{text.agent.counts}</p> : null}
    </Section>
  )
}

/** What made the agent a candidate. */
export function WhyFound({ agent: { id } }: Readonly<AgentSectionProps>) {
  const graph = useRun(({ attempt }) => divisionOf(attempt).taskGraph)
  const found = searchOfAgent(graph, id)
  return found ? <p className="text-ink-3">{whyPicked(found.score, found.search)}</p> : null
}
