import type { RunSummary } from '@/lib/api/queries'
import { strings } from '@/strings/studio'

const { team } = strings.runs

/** What the count of agents leaves open: a summary agent that it leaves out, or agents that it counts once
 * in every round. null: nothing. A run is stored with all of its method's settings. */
export function teamNote(run: RunSummary): string | null {
  const { method, method_config: settings, agent_count: count } = run
  if (!count) return null
  if (settings.final_answer === 'summary' || settings.summary === true) return team.summary
  const rounds = method === 'debate' ? Number(settings.rounds) : 1
  return rounds > 1 ? team.rounds(rounds) : null
}
