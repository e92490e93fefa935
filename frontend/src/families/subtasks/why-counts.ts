import type { SearchView, SubtaskView } from './task-graph'
import { text as views } from './view-words'
import { formatScore } from './why-picked'
import { text } from './words'

const { decided } = views

/** Whose answer counts, and by what; null: it is not decided. */
export function whyCounts(
  { result, candidates }: SubtaskView,
  nameOf: (candidate: SearchView['candidates'][number]) => string,
): string | null {
  if (!result) return null
  const chosen = candidates.find(({ isChosen }) => isChosen)
  if (!chosen) return text.nobody
  const name = nameOf(chosen.score)
  const value = chosen.reward?.value
  if (value != null) return decided.reward(name, formatScore(value))
  const group = result.groups.find(({ agentIds }) => agentIds.includes(chosen.score.agent_id))
  return group ? decided.most(name, group.agentIds.length, candidates.length) : null
}
