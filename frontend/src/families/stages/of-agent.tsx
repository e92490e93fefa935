import { Section } from '@/components/fact'
import type { AgentSectionProps } from '@/components/run/family-views'
import { useRun } from '@/components/run/run-context'
import { formatProbability } from '@/lib/format'

import { chosenIn, placeOf, stageNamed, stagesOf, stateOf } from './stages'
import { text } from './words'

/** The stage in which the agent works, as what, and the way to it. */
export function StageOf({ agent: { id }, onOpen }: Readonly<AgentSectionProps>) {
  const place = useRun(({ attempt }) => placeOf(attempt, id))
  const counts = useRun(({ attempt }) =>
    stateOf(stagesOf(attempt))?.subtasks.some(({ by, status }) => by === id && status === 'DONE'),
  )
  if (!place) return null
  const { stage, part, layer } = place
  return (
    <Section title={text.stage(stage)}>
      <p>{part === 'layer' ? text.agent.layer(layer) : text.agent.part[part]}</p>
      {counts ? <p className="text-xs text-ink-3">{text.agent.counts}</p> : null}
      {onOpen ? (
        <button
          type="button"
          onClick={() => onOpen(String(stage))}
          className="self-start rounded-sm text-left font-medium text-accent underline underline-offset-2"
        >
          {text.agent.open(stage)}
        </button>
      ) : null}
    </Section>
  )
}

/** With which probability it was chosen, and how. */
export function WhyChosen({ agent }: Readonly<AgentSectionProps>) {
  const place = useRun(({ attempt }) => placeOf(attempt, agent.id))
  const stages = useRun(({ attempt }) => stagesOf(attempt))
  const layer = stageNamed(stages, String(place?.stage))?.layers.find(
    (each) => each.layer === place?.layer,
  )
  if (!layer) return null
  if (layer.fixed) return <p className="text-ink-3">{text.choice.fixed}</p>
  const chosen = chosenIn(layer, new Map([[agent.id, agent]]))
  const own = chosen.find(({ agentId }) => agentId === agent.id)?.candidate
  if (!own) return null
  const why = text.agent.chosen(own.rank ?? 0, layer.layer, formatProbability(own.probability))
  return (
    <p className="text-ink-3">
      {why} {layer.greedy ? text.agent.greedy : text.agent.drawn}
    </p>
  )
}
