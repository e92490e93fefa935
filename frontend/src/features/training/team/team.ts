/** What “Train a team” asks for: a few choices, and what comes of them. */
import type { components } from '@/generated/api'
import type { Game } from '@/lib/api/queries'
import { configFields, type ConfigField, type ConfigValue } from '@/lib/config-schema'
import type { TrainableMethod } from '@/features/training/use-training'
import { text } from '@/strings/team'

type Schemas = components['schemas']
export type Model = Schemas['TrainableModel']

/** The method whose trainings change language models themselves. */
export const METHOD = 'at_grpo'
export const NANO = 'nano'
/** Stands for a model that a field of its own names. */
export const HUB = '*'
const LEVELS = ['shared', 'adapters', 'models'] as const
export type Level = (typeof LEVELS)[number]

export const EPISODES = { train: 1_000, dev: 100, test: 200 }
/** Training episodes that are only played, to measure what was learned. */
const HELD_OUT = 50
const AGENTS = 2
const ADAPTER_RANK = 16
/** The sizes that nano learns in minutes. */
const FIRST_SIZES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  plan_path: { size: 5 },
}

export interface TeamDraft {
  readonly game: string
  /** The game's first option, such as its size. */
  readonly options: Readonly<Record<string, ConfigValue>>
  readonly model: string
  readonly hubName: string
  readonly level: Level
}

export const newTeam = (game: string): TeamDraft => ({
  game,
  options: FIRST_SIZES[game] ?? {},
  model: NANO,
  hubName: '',
  level: 'shared',
})

export const ofGame = (draft: TeamDraft, game: string): TeamDraft => ({
  ...draft,
  game,
  options: FIRST_SIZES[game] ?? {},
})

/** How large its boards are, or how hard. */
export const sizeField = (game: Game): ConfigField | undefined =>
  configFields(game.options_schema)[0]

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

/** The same choices lead to the same dataset, which is made once. */
export function datasetKey({ options }: TeamDraft, game: Game): string {
  const field = sizeField(game)
  const size = field ? (options[field.key] ?? field.initial) : ''
  return `${game.key.replaceAll('_', '-')}-${field?.key ?? ''}-${String(size)}`
}

export const presetOf = (draft: TeamDraft): string =>
  modelOf(draft) === NANO ? 'studio' : 'language'

/** What differs from the preset. */
export const configOf = (draft: TeamDraft): Record<string, ConfigValue> => ({
  model: modelOf(draft),
  level: draft.level,
  held_out: HELD_OUT,
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
