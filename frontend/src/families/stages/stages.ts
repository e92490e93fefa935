/**
 * A task solved stage by stage (EvoMAS): the state before and after each stage, the workflow that was chosen for it,
 * and its verdict.
 *
 * The events are kept as they were told; how a stage stands follows from them and from the agents.
 */
import type {
  LayerSampled,
  RoleProbability,
  StageAssessed,
  StageEnded,
  StagePlanned,
  TaskState,
} from '@/generated/events'
import { kept } from '@/graph/family'
import type { AgentView } from '@/graph/run-view'

export const KEY = 'stages'
/** The role that ends a workflow. */
export const EXIT = 'early_exit'

export type Ending = NonNullable<StageEnded['ending']>
export type Verdict = StageAssessed['assessment']['verdict']

export interface StageView {
  readonly number: number
  readonly planned: StagePlanned
  readonly layers: readonly LayerSampled[]
  readonly assessed: StageAssessed | null
  readonly ended: StageEnded | null
}

/** Where an agent works. */
export interface Place {
  readonly stage: number
  readonly part: 'planner' | 'evaluator' | 'layer'
  /** Number of its layer; 0: none. */
  readonly layer: number
}

interface Told {
  readonly stages: readonly StageView[]
  /** By agent. One outside the stages, as the one that gives the final answer, has none. */
  readonly places: ReadonlyMap<string, Place>
  /** After how many finished stages another worker took the run up again. */
  readonly takenUp: readonly number[]
}

export const { of: toldOf, change: changeTold } = kept<Told>(KEY, {
  stages: [],
  places: new Map(),
  takenUp: [],
})

type Holder = Parameters<typeof toldOf>[0]

export const stagesOf = (attempt: Holder): readonly StageView[] => toldOf(attempt).stages

/** Whether another worker began with what follows this many finished stages. */
export const isTakenUpAfter = (attempt: Holder, finished: number): boolean =>
  toldOf(attempt).takenUp.includes(finished)

export const placeOf = (attempt: Holder, agent: string): Place | null =>
  toldOf(attempt).places.get(agent) ?? null

/** The stage of this number in an address. */
export const stageNamed = (stages: readonly StageView[], id: string): StageView | undefined =>
  stages.find(({ number }) => String(number) === id)

/** The newest state; null: there is no plan yet. */
export function stateOf(stages: readonly StageView[]): TaskState | null {
  const last = stages.at(-1)
  return last ? (last.ended ?? last.planned).state : null
}

/** Why no stage follows; null: one does, or may. */
export const endingOf = (stages: readonly StageView[]): Ending | null =>
  stages.at(-1)?.ended?.ending ?? null

/** What the state's next stage works on. */
export const askedIn = ({ subtasks, active, objective }: TaskState): string =>
  subtasks.find(({ id }) => id === active)?.text ?? objective

/** 1, 2, … in the plan's order; 0: the plan does not have it. */
export const ordinalIn = (state: TaskState, id: string | null): number =>
  state.subtasks.findIndex((each) => each.id === id) + 1

export type Phase =
  /** The plan stands; the workflow is being chosen. */
  | 'choosing'
  | 'working'
  /** All its agents are done, and the evaluator reads them. */
  | 'judging'
  | Verdict
  /** It ended without a verdict. */
  | 'unjudged'
  /** The run ended before it did. */
  | 'stopped'

type Agents = ReadonlyMap<string, AgentView>

export function phaseOf(
  { assessed, ended, layers }: StageView,
  agents: Agents,
  isOver: boolean,
): Phase {
  if (assessed) return assessed.assessment.verdict
  if (ended) return 'unjudged'
  if (isOver) return 'stopped'
  if (layers.length === 0) return 'choosing'
  const isDone = layers.every((layer) =>
    layer.agents.every((id) => agents.get(id)?.endedAt != null),
  )
  return isDone ? 'judging' : 'working'
}

/** Number of the stage that the planner prepares; null: none. */
export function upcoming(stages: readonly StageView[], isOver: boolean): number | null {
  const last = stages.at(-1)
  return !isOver && last?.ended?.ending === null ? last.number + 1 : null
}

/** Number of the stage after this many; null: the answer follows. */
export const nextAfter = (stages: readonly StageView[], finished: number): number | null =>
  stages[finished - 1]?.ended?.ending == null ? finished + 1 : null

export interface ChosenAgent {
  readonly candidate: RoleProbability
  /** null: it does not run, as Early-exit and what comes after it. */
  readonly agentId: string | null
}

/** The agents of a layer in the order of their choice. */
export function chosenIn(
  layer: LayerSampled,
  agents: ReadonlyMap<string, Pick<AgentView, 'roleKey'>>,
): readonly ChosenAgent[] {
  const free = [...layer.agents]
  return layer.candidates
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map((candidate) => {
      const place = free.findIndex((id) => agents.get(id)?.roleKey === candidate.role)
      return { candidate, agentId: place < 0 ? null : (free.splice(place, 1)[0] ?? null) }
    })
}

/** Probability of all chosen agents together. */
export const massOf = ({ candidates }: LayerSampled): number =>
  candidates.reduce((sum, each) => sum + (each.rank === null ? 0 : each.probability), 0)

/** The places with those of agents that have just become known. */
export function placed({ stages, places }: Told, agents: readonly string[]): Told['places'] {
  const last = stages.at(-1)
  const isNext = last?.ended != null
  if (!last || (isNext && last.ended.ending !== null)) return places
  const all = new Map(places)
  for (const id of agents) {
    if (all.has(id)) continue
    const layer = last.layers.find((each) => each.agents.includes(id))?.layer ?? 0
    if (isNext) all.set(id, { stage: last.number + 1, part: 'planner', layer: 0 })
    else all.set(id, { stage: last.number, part: layer > 0 ? 'layer' : 'evaluator', layer })
  }
  return all
}
