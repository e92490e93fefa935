import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'

import type { components } from '@/generated/api'
import {
  changedConfig,
  isConfigValue,
  isSameValue,
  type ConfigField,
  type ConfigValue,
} from '@/lib/config-schema'

import { onDatasetBy, splitOr, type Split } from '@/lib/splits'

import type { TrainableMethod, Training } from './use-training'

type TrainingRequest = components['schemas']['TrainingJobRequest']

export const onDataset = onDatasetBy(['train', 'dev', 'test'])
export const MAX_SEED = 2 ** 31 - 1

export const SYSTEM_LIMITS = [
  'max_tokens',
  'max_completion_tokens_per_call',
  'max_seconds',
  'max_cost',
] as const
export type SystemLimit = (typeof SYSTEM_LIMITS)[number]
export type SystemLimits = Readonly<Record<SystemLimit, number | null>>

const NO_LIMITS: SystemLimits = {
  max_tokens: null,
  max_completion_tokens_per_call: null,
  max_seconds: null,
  max_cost: null,
}

/** null: the studio's default. `config` holds only what was changed. */
export interface TrainingDraft {
  readonly name: string
  readonly method: string | null
  readonly preset: string | null
  readonly startFrom: string | null
  readonly dataset: string | null
  readonly split: Split
  readonly limit: number | null
  readonly endpoint: string | null
  readonly pool: string | null
  readonly seed: number
  readonly maxTokens: number | null
  readonly maxCost: number | null
  /** What one sampled system may spend. */
  readonly perSystem: SystemLimits
  readonly keep: number
  readonly config: Readonly<Record<string, ConfigValue>>
}

interface Store extends TrainingDraft {
  change: (part: Partial<TrainingDraft>) => void
}

const EMPTY: TrainingDraft = {
  name: '',
  method: null,
  preset: null,
  startFrom: null,
  dataset: null,
  split: 'train',
  limit: null,
  endpoint: null,
  pool: null,
  seed: 0,
  maxTokens: null,
  maxCost: null,
  perSystem: NO_LIMITS,
  keep: 5,
  config: {},
}

export const emptyDraft = (): TrainingDraft => EMPTY

/** Kept for the tab's session: leaving the page or reloading it loses nothing. */
export const useTrainingDraft = create<Store>()(
  persist((set) => ({ ...EMPTY, change: (part) => set(part) }), {
    name: 'mas-studio-training',
    version: 1,
    storage: createJSONStorage(() => sessionStorage),
  }),
)

/** The same training again, to be changed: its settings as differences from its preset. */
export function draftOf(job: Training, method: TrainableMethod | undefined): TrainingDraft {
  const preset = method?.presets[job.preset] ?? {}
  const config = Object.fromEntries(
    Object.entries(job.config).filter(
      (pair): pair is [string, ConfigValue] =>
        isConfigValue(pair[1]) && !isSameValue(preset[pair[0]], pair[1]),
    ),
  )
  return {
    name: '',
    method: job.method,
    preset: job.preset,
    startFrom: job.start_from,
    dataset: job.dataset,
    split: splitOr(job.split, 'train'),
    limit: job.limit,
    endpoint: job.endpoint,
    pool: job.pool,
    seed: job.seed,
    maxTokens: job.budget.max_tokens ?? null,
    maxCost: job.budget.max_cost ?? null,
    perSystem: { ...NO_LIMITS, ...job.per_system },
    keep: job.keep_checkpoints,
    config,
  }
}

/** The body of `POST /api/training-jobs`: only what was chosen. */
export function requestOf(
  draft: TrainingDraft,
  method: TrainableMethod,
  fields: readonly ConfigField[],
): TrainingRequest {
  const name = draft.name.trim()
  const config = changedConfig(fields, draft.config)
  const perSystem = Object.fromEntries(
    Object.entries(draft.perSystem).filter(([, limit]) => limit !== null),
  )
  return {
    method: method.method,
    dataset: draft.dataset ?? '',
    split: draft.split,
    seed: draft.seed,
    keep_checkpoints: draft.keep,
    ...(name ? { name } : {}),
    ...(draft.preset ? { preset: draft.preset } : {}),
    ...(draft.startFrom ? { start_from: draft.startFrom } : {}),
    ...(draft.limit === null ? {} : { limit: draft.limit }),
    ...(method.needs_pool && draft.pool ? { pool: draft.pool } : {}),
    ...(Object.keys(config).length > 0 ? { config } : {}),
    ...(method.asks_endpoint
      ? {
          ...(draft.endpoint ? { endpoint: draft.endpoint } : {}),
          budget: { max_tokens: draft.maxTokens, max_cost: draft.maxCost },
          ...(Object.keys(perSystem).length > 0 ? { per_system: perSystem } : {}),
        }
      : {}),
  }
}
