import { ProbabilityBar } from '@/components/probability-bar'
import { FamilyTile, StatusIcon } from '@/components/run/agent-look'
import type { ListProps } from '@/components/run/family-views'
import { useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'
import { useAgentNames, useAgents } from '@/components/run/use-agents'
import { firstOf, type AgentFact } from '@/graph/family'
import { hasSpoken, voters as votersOf } from '@/graph/names'
import type { AgentView, AnswerGroupView, AttemptView } from '@/graph/run-view'
import { tokensOf } from '@/graph/totals'
import { formatCount, formatSeconds } from '@/lib/format'

const NOTHING_TOLD: AttemptView['families'] = {}

/** For methods that do not build step by step: who works, and what each of them answers. */
export function TeamPanel({ selected, onSelect }: Readonly<ListProps>) {
  const agents = [...useAgents().values()]
  const nameOf = useAgentNames()
  const factOf = useFacts()
  // A family that names whose answer counts asks its agents different things.
  const isVoted = useRun(({ attempt }) => attempt?.answeredBy == null)
  const last = useRun(({ attempt }) => attempt?.intermediates.at(-1))
  const voters = votersOf(agents)
  const votes = tally(voters, last?.groups ?? [])
  return (
    <div className="flex flex-col">
      <h2 className="px-4 py-3 text-sm font-semibold">{text.team.title}</h2>
      {agents.length === 0 ? <p className="px-4 pb-3 text-ink-3">{text.team.empty}</p> : null}
      {isVoted && voters.length > 1 && votes.length > 0 ? (
        <div className="flex flex-col gap-2 border-t border-line px-4 py-3">
          <h3 className="text-xs font-semibold text-ink-2">{text.team.answers}</h3>
          {votes.map(([answer, count]) => (
            <ProbabilityBar
              key={answer}
              label={`${answer} · ${text.team.votes(count)}`}
              probability={count / voters.length}
              chosen={answer === last?.answer}
            />
          ))}
        </div>
      ) : null}
      <ul className="flex flex-col">
        {agents.map((agent) => (
          <li key={agent.id} className="border-t border-line">
            <button
              type="button"
              aria-pressed={selected === agent.id}
              onClick={() => onSelect(agent.id)}
              className="flex w-full items-center gap-2 px-4 py-2 text-left hover:bg-surface-2 focus-visible:-outline-offset-2"
            >
              <FamilyTile family={agent.family} size={22} />
              <span className="flex min-w-0 flex-1 flex-col">
                <span className="truncate font-medium">{nameOf(agent.id)}</span>
                <span className="truncate text-xs text-ink-3">
                  {factsOf(agent, factOf(agent.id))}
                </span>
              </span>
              <span className="max-w-28 truncate text-xs font-semibold">{agent.answer}</span>
              <StatusIcon status={agent.status} named />
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** What a family adds to an agent. */
function useFacts(): (agent: string) => AgentFact | null {
  const families = useRun((state) => state.families)
  const told = useRun(({ attempt }) => attempt?.families ?? NOTHING_TOLD)
  return (agent) => firstOf(families, ({ factOf }) => factOf?.({ families: told }, agent))
}

/** "Subtask 3 · 212 tokens · 1.4 s" */
function factsOf({ usage, seconds }: AgentView, fact: AgentFact | null): string {
  return [
    ...(fact ? [fact.name] : []),
    text.tokens(formatCount(tokensOf(usage))),
    formatSeconds(seconds),
  ].join(' · ')
}

/** Answers with their counts, the most frequent first. Spellings of one answer count as the run's own vote has
 * counted them; where there was none, each by itself. */
function tally(
  agents: readonly AgentView[],
  groups: readonly AnswerGroupView[],
): (readonly [answer: string, count: number])[] {
  const spelled = new Map(groups.flatMap((group) => group.agentIds.map((id) => [id, group.answer])))
  const counts = new Map<string, number>()
  for (const agent of agents) {
    if (!hasSpoken(agent) && agent.status !== 'failed') continue
    const name = spelled.get(agent.id) ?? agent.answer ?? text.team.noAnswer
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].sort((a, b) => b[1] - a[1])
}
