import { Section } from '@/components/fact'
import type { AgentSectionProps } from '@/components/run/family-views'
import { useRun } from '@/components/run/run-context'
import { useAgents } from '@/components/run/use-agents'

import { episodeOf, turnsOf } from './episode'
import { Read } from './read'
import { Rewards } from './rewards'
import { text } from './words'

/** The turn in which the agent spoke, what came of it, and the way to the board. */
export function TurnOf({ agent: { id }, onOpen }: Readonly<AgentSectionProps>) {
  const episode = useRun(({ attempt }) => episodeOf(attempt))
  const agents = useAgents()
  for (const turn of turnsOf(episode, agents.values()))
    for (const { agentId, move, commits } of turn.parts)
      if (agentId === id)
        return (
          <Section title={text.turn(turn.number)}>
            {onOpen ? (
              <button
                type="button"
                onClick={() => onOpen(String(turn.number))}
                className="self-start rounded-sm text-left font-medium text-accent underline underline-offset-2"
              >
                {text.agent.open(turn.number)}
              </button>
            ) : null}
            {move ? (
              <>
                <Read move={move} before={turn.before} commits={commits} />
                <Rewards move={move} />
              </>
            ) : null}
          </Section>
        )
  return null
}
