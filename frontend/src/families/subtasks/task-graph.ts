/**
 * A query as subtasks (ReSo): who was found for each, why, and whose answer counts.
 *
 * What the events tell is kept as they told it; how each subtask stands follows from that and from the agents.
 */
import type { CandidateReward, CandidateScore } from '@/generated/events'
import { kept } from '@/graph/family'
import {
  hasStopped,
  type AgentStatus,
  type AgentView,
  type AnswerGroupView,
  type AttemptView,
  type UsageView,
} from '@/graph/run-view'

export const KEY = 'subtasks'

export interface PlannedSubtask {
  readonly id: string
  readonly text: string
  /** Subtasks whose answers it needs. */
  readonly dependsOn: readonly string[]
  /** Its right answer, where the data set knows it. */
  readonly reference: string | null
}

export interface SearchView {
  /** Best first. */
  readonly candidates: readonly CandidateScore[]
  /** Of all agents before. */
  readonly selections: number
  /** The highest inner product; below the threshold nobody is made for the subtask. */
  readonly nearest: number
  readonly threshold: number
}

export interface ResultView {
  /** Whose answer counts; null: nobody's. */
  readonly agentId: string | null
  readonly answer: string | null
  /** null: its right answer is not known. */
  readonly correct: boolean | null
  /** Whether the best reward is good enough; null: nothing was rewarded. */
  readonly solved: boolean | null
  /** While a method learns. */
  readonly rewards: ReadonlyMap<string, Pick<CandidateReward, 'value' | 'reason' | 'problem'>>
  /** Of a vote, the largest first: where there are no rewards, or none could be judged. */
  readonly groups: readonly AnswerGroupView[]
}

/** A model asked once to divide the query. */
export interface PlannerCallView {
  /** 2: to mend its first reply. */
  readonly ordinal: number
  readonly endpoint: string
  readonly startedAt: number
  /** null: it has not replied; nor will it, once the attempt is over. */
  readonly endedAt: number | null
  readonly usage: UsageView | null
  /** What it wrote, where that is no task graph. */
  readonly rejected: RejectedPlanView | null
}

/** A planner's reply that was no task graph. */
export interface RejectedPlanView {
  /** What was wrong with it, as the planner was told. */
  readonly problem: string
  /** What people can do about it; empty: it was not told. */
  readonly remedy: string
  readonly reply: string
}

export interface TaskGraphView {
  readonly planner: 'llm' | 'own'
  /** Each after all that it depends on; the last one's answer is the query's. */
  readonly subtasks: readonly PlannedSubtask[]
  readonly searches: ReadonlyMap<string, SearchView>
  readonly results: ReadonlyMap<string, ResultView>
}

interface Division {
  /** In the order in which they were made; none where the data set divides its queries. */
  readonly plannerCalls: readonly PlannerCallView[]
  /** null: there is none yet. */
  readonly taskGraph: TaskGraphView | null
}

export const { of: divisionOf, change: changeDivision } = kept<Division>(KEY, {
  plannerCalls: [],
  taskGraph: null,
})

export type SubtaskStatus =
  /** What it depends on, or what is asked together with that, has no answer yet. */
  | 'waiting'
  | 'searching'
  | 'asked'
  | 'answered'
  | 'unsolved'
  /** The run ended while its candidates were asked. */
  | 'stopped'
  /** The run ended before anybody was looked for. */
  | 'unreached'

export interface CandidateStanding {
  /** 1 is the best-ranked. */
  readonly rank: number
  readonly score: CandidateScore
  readonly agent: AgentView | null
  readonly isChosen: boolean
  readonly reward: Pick<CandidateReward, 'value' | 'reason' | 'problem'> | null
}

export interface SubtaskView extends PlannedSubtask {
  /** 1, 2, … in the plan's order. */
  readonly ordinal: number
  readonly isFinal: boolean
  readonly status: SubtaskStatus
  readonly neededBy: readonly string[]
  readonly search: SearchView | null
  readonly result: ResultView | null
  readonly candidates: readonly CandidateStanding[]
}

/** What of an attempt decides how its subtasks stand. */
interface Standing extends Pick<AttemptView, 'agents'> {
  readonly taskGraph: TaskGraphView | null
  readonly hasEnded: boolean
}

export function plannerStatus(call: PlannerCallView, attempt: AttemptView): AgentStatus {
  if (call.rejected) return 'failed'
  if (call.endedAt !== null) return 'done'
  return hasStopped(attempt) ? 'stopped' : 'active'
}

export function subtasksOf(standing: Standing): readonly SubtaskView[] {
  const { taskGraph: graph, agents, hasEnded } = standing
  if (!graph) return []
  const levels = levelsOf(graph.subtasks)
  return graph.subtasks.map((planned, index) => {
    const search = graph.searches.get(planned.id) ?? null
    const result = graph.results.get(planned.id) ?? null
    return {
      ...planned,
      ordinal: index + 1,
      isFinal: index === graph.subtasks.length - 1,
      status: statusOf(planned, { graph, levels, hasEnded }),
      neededBy: graph.subtasks
        .filter(({ dependsOn }) => dependsOn.includes(planned.id))
        .map(({ id }) => id),
      search,
      result,
      candidates: (search?.candidates ?? []).map((score, place) => ({
        rank: place + 1,
        score,
        agent: agents.get(score.agent_id) ?? null,
        isChosen: result?.agentId === score.agent_id,
        reward: result?.rewards.get(score.agent_id) ?? null,
      })),
    }
  })
}

interface Progress {
  readonly graph: TaskGraphView
  readonly levels: ReadonlyMap<string, number>
  readonly hasEnded: boolean
}

function statusOf({ id }: PlannedSubtask, { graph, levels, hasEnded }: Progress): SubtaskStatus {
  const result = graph.results.get(id)
  if (result) return isSolved(result) ? 'answered' : 'unsolved'
  if (graph.searches.has(id)) return hasEnded ? 'stopped' : 'asked'
  if (hasEnded) return 'unreached'
  const own = levels.get(id) ?? 0
  const isNext = graph.subtasks.every(
    (other) => (levels.get(other.id) ?? 0) >= own || graph.results.has(other.id),
  )
  return isNext ? 'searching' : 'waiting'
}

const isSolved = ({ answer, solved }: ResultView): boolean => answer !== null && solved !== false

/** Subtasks of one level are asked together, once all of those before are answered. */
export function levelsOf(subtasks: readonly PlannedSubtask[]): ReadonlyMap<string, number> {
  const levels = new Map<string, number>()
  for (const { id, dependsOn } of subtasks)
    levels.set(id, Math.max(0, ...dependsOn.map((needed) => (levels.get(needed) ?? 0) + 1)))
  return levels
}

/** The search that found an agent, and as what. */
export function searchOfAgent(graph: TaskGraphView | null, agentId: string) {
  for (const [subtask, search] of graph?.searches ?? []) {
    const score = search.candidates.find(({ agent_id: id }) => id === agentId)
    if (score) return { subtask, search, score }
  }
  return null
}

/** 1, 2, … in the plan's order; 0: it has no such subtask. */
export const ordinalOf = (graph: TaskGraphView | null, id: string): number =>
  (graph?.subtasks.findIndex((each) => each.id === id) ?? -1) + 1

/** The subtask that an agent was asked, if it is a candidate of one. */
export function subtaskOfAgent(graph: TaskGraphView | null, agentId: string) {
  const found = searchOfAgent(graph, agentId)
  const ordinal = found ? ordinalOf(graph, found.subtask) : 0
  const planned = graph?.subtasks[ordinal - 1]
  return planned ? { ordinal, ...planned } : null
}
