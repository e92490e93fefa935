/** What “Train a team” asks for: a few choices, and what comes of them. */
import type { components } from '@/generated/api'
import type { Game } from '@/lib/api/queries'
import { configFields, type ConfigField, type ConfigValue } from '@/lib/config-schema'
import type { TrainableMethod } from '@/features/training/use-training'
import { text } from '@/strings/team'

type Schemas = components['schemas']
export type Model = Schemas['TrainableModel']
/** With the team that can be trained on it, or why none can. */
export type Dataset = Schemas['TrainableDataset']
export type Fitting = Dataset & { readonly team: Schemas['TrainableTeam'] }

/** The method whose trainings change language models themselves. */
export const METHOD = 'at_grpo'
export const NANO = 'nano'
/** Stands for a model that a field of its own names. */
export const HUB = '*'
const LEVELS = ['shared', 'adapters', 'models'] as const
export type Level = (typeof LEVELS)[number]

export const EPISODES = { train: 1_000, dev: 100, test: 200 }
/** The number of training tasks that are only played, to measure what was learned; and their largest share. */
const HELD_OUT = 50
const MOST_HELD_OUT = 0.2
const AGENTS = 2
const ADAPTER_RANK = 16
/** The sizes that nano learns in minutes. */
const FIRST_SIZES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  plan_path: { size: 5 },
}

export interface TeamDraft {
  /** What they learn from; null: boards of the game. */
  readonly dataset: Fitting | null
  readonly game: string
  /** Those of the game that were chosen, such as its size. */
  readonly options: Readonly<Record<string, ConfigValue>>
  readonly model: string
  readonly hubName: string
  readonly level: Level
}

export const newTeam = (game: string): TeamDraft => ({
  dataset: null,
  game,
  options: FIRST_SIZES[game] ?? {},
  model: NANO,
  hubName: '',
  level: 'shared',
})

export const ofGame = (draft: TeamDraft, game: string): TeamDraft => ({
  ...draft,
  dataset: null,
  game,
  options: FIRST_SIZES[game] ?? {},
  level: draft.dataset ? 'shared' : draft.level,
})

export const isFitting = (dataset: Dataset): dataset is Fitting => dataset.team !== null

/** Whether nano can read it: nothing but the letters of games. */
export const isForNano = ({ dataset }: TeamDraft, games: readonly Game[]): boolean =>
  dataset === null || games.some(({ key }) => key === dataset.team.environment)

interface Known {
  readonly games: readonly Game[]
  readonly models: readonly Model[]
  readonly method: TrainableMethod
}

/** With the level of the dataset's preset, and a model that can read it. */
export function ofDataset(draft: TeamDraft, dataset: Fitting, known: Known): TeamDraft {
  const preset = known.method.presets[dataset.team.preset]
  const level = LEVELS.find((each) => each === preset?.level) ?? 'shared'
  const next = { ...draft, dataset, level }
  return draft.model === NANO && !isForNano(next, known.games)
    ? { ...next, ...modelFor(preset?.model, known.models) }
    : ofModel(next, draft.model)
}

/** The preset's model if it is here, another one that is here, or the preset's from the hub. */
function modelFor(wanted: unknown, models: readonly Model[]): Pick<TeamDraft, 'model' | 'hubName'> {
  const named = typeof wanted === 'string' ? wanted : ''
  const local = models.map(({ name }) => name).filter((name) => name !== NANO)
  const found = local.find((name) => name === named.split('/').at(-1)) ?? local[0]
  return found === undefined ? { model: HUB, hubName: named } : { model: found, hubName: '' }
}

/** How large its boards are, how hard, and what else can be chosen. */
export const optionFields = (game: Game): ConfigField[] => configFields(game.options_schema)

/** Nano has learned nothing yet: adapters on it would adapt a model of random weights. */
export const levelsOf = (model: string): readonly Level[] =>
  model === NANO ? ['shared', 'models'] : LEVELS

export const ofModel = (draft: TeamDraft, model: string): TeamDraft => ({
  ...draft,
  model,
  level: levelsOf(model).includes(draft.level) ? draft.level : 'shared',
})

export const modelOf = ({ model, hubName }: TeamDraft): string =>
  model === HUB ? hubName.trim() : model

/** The dataset that was chosen. Of a game, the same choices lead to the same one, which is made once. */
export function datasetKey({ dataset, options }: TeamDraft, game: Game): string {
  if (dataset) return dataset.key
  const named = optionFields(game).flatMap(({ key, initial }, place) => {
    const value = options[key] ?? initial
    return place > 0 && value === initial ? [] : [`-${key}-${String(value)}`]
  })
  const key = [game.key.replaceAll('_', '-'), ...named].join('')
  return key.replaceAll(/[^\w-]/g, '_')
}

export const presetOf = (draft: TeamDraft): string =>
  modelOf(draft) === NANO ? 'studio' : (draft.dataset?.team.preset ?? 'language')

export const heldOutOf = ({ dataset }: TeamDraft): number =>
  dataset ? Math.min(HELD_OUT, Math.floor(dataset.tasks * MOST_HELD_OUT)) : HELD_OUT

/** What differs from the preset. */
export const configOf = (draft: TeamDraft): Record<string, ConfigValue> => ({
  model: modelOf(draft),
  level: draft.level,
  held_out: heldOutOf(draft),
  ...(draft.level === 'adapters' ? { rank: ADAPTER_RANK } : {}),
})

export function trainingBody(draft: TeamDraft, game: Game): Schemas['TrainingJobRequest'] {
  const dataset = datasetKey(draft, game)
  return {
    method: METHOD,
    preset: presetOf(draft),
    name: text.name(dataset, modelOf(draft).slice(0, 60)),
    dataset,
    split: 'train',
    config: configOf(draft),
  }
}

export interface Takes {
  readonly coldSteps: number
  readonly steps: number
  /** At most: answers that end earlier are shorter. */
  readonly tokens: number
}

/** What the training will take, by its settings. */
export function takesOf(draft: TeamDraft, method: TrainableMethod): Takes {
  const config = { ...method.presets[presetOf(draft)], ...configOf(draft) }
  const value = (name: string): number => {
    const found = config[name]
    return typeof found === 'number' ? found : 0
  }
  const steps = value('steps')
  const answers = value('episodes_per_step') * value('turns') * AGENTS * value('branches')
  return {
    coldSteps: value('cold_steps'),
    steps,
    tokens: steps * answers * value('max_tokens'),
  }
}
