import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'

import type { components } from '@/generated/api'
import { UNTRAINED } from '@/lib/api/checkpoints'
import type { FieldsOf } from '@/lib/api/fields-of'
import {
  askable,
  oneOf,
  ownEndpoint,
  usualReplyTokens,
  type Endpoint,
  type Method,
} from '@/lib/api/queries'
import { changedConfig, type ConfigField, type ConfigValue } from '@/lib/config-schema'
import { formatCount } from '@/lib/format'
import { onDatasetBy, splitOr, type Split } from '@/lib/splits'
import { uniqueId } from '@/lib/unique'

import { text } from '@/strings/evaluations'
import { taskFields } from '@/strings/jobs'
import { strings } from '@/strings/studio'
import type { Evaluation } from './use-evaluations'

type EvaluationRequest = components['schemas']['EvaluationRequest']

/** What is evaluated on, where a dataset has it: not what methods learn from. */
export const onDataset = onDatasetBy(['dev', 'test', 'train'])
export const MOST_ANSWERS = 100_000

/** One row of the form. null: the studio's default. */
export interface ArmDraft {
  readonly id: string
  readonly label: string
  readonly method: string
  readonly checkpoint: string | null
  readonly endpoint: string | null
  readonly pool: string | null
  /** What the method “design” runs; of its versions null is the draft as it is then. */
  readonly design: string | null
  readonly design_version: number | null
  /** Its own limit of one reply; null: that of the evaluation. */
  readonly reply_tokens: number | null
  readonly config: Readonly<Record<string, ConfigValue>>
}

export interface FormDraft {
  readonly name: string
  readonly dataset: string | null
  readonly split: Split
  readonly limit: number | null
  readonly repeats: number
  readonly seed: number
  readonly concurrency: number
  readonly max_tokens: number | null
  readonly max_completion_tokens_per_call: number | null
  readonly max_seconds: number | null
  /** USD */
  readonly max_cost: number | null
  readonly arms: readonly ArmDraft[]
}

interface Store extends FormDraft {
  change: (part: Partial<FormDraft>) => void
}

export const newArm = (method: string): ArmDraft => ({
  id: uniqueId(),
  label: '',
  method,
  checkpoint: null,
  endpoint: null,
  pool: null,
  design: null,
  design_version: null,
  reply_tokens: null,
  config: {},
})

const EMPTY: FormDraft = {
  name: '',
  dataset: null,
  split: 'dev',
  limit: 20,
  repeats: 1,
  seed: 0,
  concurrency: 4,
  max_tokens: null,
  max_completion_tokens_per_call: null,
  max_seconds: null,
  max_cost: null,
  arms: [],
}

/** Kept for the tab's session: leaving the page or reloading it loses nothing. */
export const useFormDraft = create<Store>()(
  persist((set) => ({ ...EMPTY, change: (part) => set(part) }), {
    name: 'mas-studio-evaluation',
    version: 3,
    storage: createJSONStorage(() => sessionStorage),
  }),
)

export const emptyDraft = (): FormDraft => EMPTY

const FIRST_ARMS = 3

/** The first arms: the default method against the simplest ones, which the API names first. */
export const firstArms = (methods: readonly Method[]): ArmDraft[] =>
  askable(methods)
    .toSorted((one, other) => Number(other.is_default) - Number(one.is_default))
    .slice(0, FIRST_ARMS)
    .map(({ key }) => newArm(key))

/** By an arm's place, the limit of one reply that it gets: `?room=0:1024,2:2048`. */
export type Room = ReadonlyMap<number, number>

export const roomText = (room: Room): string =>
  [...room].map(([place, tokens]) => `${place}:${tokens}`).join(',')

/** What is no place and number of tokens is left out. */
export function roomOf(param: string | null): Room {
  const parts = (param ?? '').split(',').map((part) => /^(\d{1,3}):(\d{1,6})$/.exec(part))
  return new Map(parts.flatMap((part) => (part ? [[Number(part[1]), Number(part[2])]] : [])))
}

/**
 * The same evaluation again, to be changed; `room` gives arms another limit of one reply. What was asked as it was
 * before any training stays so, whatever has become the default since.
 */
export function draftOf(
  evaluation: Evaluation,
  methods: readonly Method[],
  room: Room = new Map(),
): FormDraft {
  const learns = new Set(methods.filter((method) => method.learns).map(({ key }) => key))
  const { budget, split } = evaluation
  return {
    name: '',
    dataset: evaluation.dataset,
    split: splitOr(split, 'dev'),
    limit: evaluation.limit,
    repeats: evaluation.repeats,
    seed: evaluation.seed,
    concurrency: evaluation.concurrency,
    max_tokens: budget.max_tokens,
    max_completion_tokens_per_call: budget.max_completion_tokens_per_call,
    max_seconds: budget.max_seconds,
    max_cost: budget.max_cost,
    arms: evaluation.arms.map((arm, place) => ({
      id: uniqueId(),
      label: arm.label,
      method: arm.method,
      checkpoint: arm.checkpoint ?? (learns.has(arm.method) ? UNTRAINED : null),
      endpoint: arm.endpoint,
      pool: arm.pool,
      design: arm.design,
      design_version: arm.design_version,
      reply_tokens: room.get(place) ?? arm.max_completion_tokens_per_call,
      config: arm.method_config as Record<string, ConfigValue>,
    })),
  }
}

/** A copy without its label: two arms cannot share one. */
export const copyOf = (arm: ArmDraft): ArmDraft => ({ ...arm, id: uniqueId(), label: '' })

/** Of a design that is gone nothing is left to send: the server says that one is to be named. */
function drawnBy(arm: ArmDraft): Partial<EvaluationRequest['arms'][number]> {
  if (arm.design === null) return {}
  const version = arm.design_version
  return { design: arm.design, ...(version === null ? {} : { design_version: version }) }
}

/** All endpoints that an arm asks, each once, also those that its settings name. null: agents of a design may ask others. */
export function endpointsOf(
  arm: ArmDraft,
  fields: readonly ConfigField[],
  usual: string | undefined,
): string | null {
  if (arm.design !== null) return null
  const named = fields.flatMap(({ key, kind, initial }) =>
    kind === 'endpoint' || kind === 'endpoints' ? [arm.config[key] ?? initial] : [],
  )
  const asked = [arm.endpoint ?? usual, ...named.flat()].filter(Boolean).map(String)
  return [...new Set(asked)].sort().join(' ')
}

/** The arm's limit of one reply; `forAll` is that of the evaluation. null: the studio's default. */
export const replyTokensOf = (
  arm: ArmDraft,
  method: Method | undefined,
  endpoints: readonly Endpoint[] | undefined,
  forAll: number | null,
): number | null =>
  arm.reply_tokens ??
  forAll ??
  usualReplyTokens(
    method,
    oneOf(
      endpoints?.filter(({ enabled }) => enabled),
      arm.endpoint ?? ownEndpoint(method, arm.checkpoint),
    ),
  )

/** Why it cannot be started as it is, and what to do; null where it can. */
export function whyNot(
  draft: FormDraft,
  answers: number | null,
  { mayRun, isGone = false }: Readonly<{ mayRun: boolean; isGone?: boolean }>,
): string | null {
  const { form } = text
  if (!mayRun) return form.viewer
  if (draft.dataset === null || isGone) return taskFields.needsDataset
  if (Number.isNaN(answers)) return strings.problems.unreadNumber.join(' ')
  if (answers === 0) return taskFields.emptySplit(draft.split)
  if (answers !== null && answers > MOST_ANSWERS) return form.tooMany(formatCount(MOST_ANSWERS))
  return null
}

/** How many tasks the split gives, at most `limit`; null while it is not known. */
export function tasksOf(draft: FormDraft, available: number | undefined): number | null {
  if (available === undefined) return null
  return draft.limit === null ? available : Math.min(draft.limit, available)
}

/** The body of `POST /api/evaluations`: only what was chosen. */
export function requestOf(
  draft: FormDraft,
  methods: readonly Method[],
  fieldsOf: FieldsOf,
): EvaluationRequest {
  const { max_tokens, max_completion_tokens_per_call, max_seconds, max_cost } = draft
  const budget = {
    ...(max_tokens === null ? {} : { max_tokens }),
    ...(max_completion_tokens_per_call === null ? {} : { max_completion_tokens_per_call }),
    ...(max_seconds === null ? {} : { max_seconds }),
    ...(max_cost === null ? {} : { max_cost }),
  }
  const name = draft.name.trim()
  return {
    ...(name ? { name } : {}),
    dataset: draft.dataset ?? '',
    split: draft.split,
    limit: draft.limit,
    repeats: draft.repeats,
    seed: draft.seed,
    concurrency: draft.concurrency,
    ...(Object.keys(budget).length > 0 ? { budget } : {}),
    arms: draft.arms.map((arm) => {
      const method = methods.find(({ key }) => key === arm.method)
      const config = changedConfig(fieldsOf(method, arm.checkpoint), arm.config)
      const label = arm.label.trim()
      return {
        method: arm.method,
        ...(label ? { label } : {}),
        ...(method?.learns && arm.checkpoint ? { checkpoint: arm.checkpoint } : {}),
        ...(arm.endpoint ? { endpoint: arm.endpoint } : {}),
        ...(arm.reply_tokens === null ? {} : { max_completion_tokens_per_call: arm.reply_tokens }),
        ...(method?.needs_pool && arm.pool ? { pool: arm.pool } : {}),
        ...(method?.needs_design
          ? drawnBy(arm)
          : Object.keys(config).length > 0
            ? { method_config: config }
            : {}),
      }
    }),
  }
}
