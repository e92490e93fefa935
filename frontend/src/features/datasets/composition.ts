/** What is asked of a dataset that is composed of another one: a draft, and what comes of it. */
import type { components } from '@/generated/api'
import type { Dataset } from '@/lib/api/queries'

import { text } from '@/strings/datasets'
import { SPLITS, type Split } from '@/lib/splits'

import type { Draft } from './making-dialog'
import type { Counts } from './split-counts'

const { composing } = text

type Schemas = components['schemas']
export type Level = Schemas['LevelsEnum']

/** Problems in a task, as `LEVELS` of the server has them. */
export const NODES: Readonly<Record<Level, number>> = { easy: 3, medium: 5, hard: 7 }
export const LEVELS: readonly Level[] = ['easy', 'medium', 'hard']
const FIRST_COUNT = 30
const KEY_LENGTH = 63
const NAME_LENGTH = 120

export interface CompositionDraft extends Draft {
  readonly levels: readonly Level[]
  /** Tasks of each level. */
  readonly counts: Counts
}

/** The splits that problems can be taken from. */
export const filledSplits = ({ splits }: Pick<Dataset, 'splits'>): Split[] =>
  SPLITS.filter((split) => splits[split] > 0)

/** Some tasks of each level in the split that methods are compared on. */
export function newComposition(source: Pick<Dataset, 'key' | 'name' | 'splits'>): CompositionDraft {
  const filled = filledSplits(source)
  const first = filled.find((split) => split !== 'train') ?? filled[0]
  const ending = '-composed'
  return {
    key: `${source.key.slice(0, KEY_LENGTH - ending.length)}${ending}`,
    name: composing.name(source.name).slice(0, NAME_LENGTH),
    levels: LEVELS,
    counts: { train: null, dev: null, test: null, ...(first ? { [first]: FIRST_COUNT } : {}) },
    seed: 0,
  }
}

export const withLevel = (
  draft: CompositionDraft,
  level: Level,
  on: boolean,
): CompositionDraft => ({
  ...draft,
  levels: LEVELS.filter((each) => (each === level ? on : draft.levels.includes(each))),
})

const ofEachLevel = ({ counts }: CompositionDraft): number =>
  SPLITS.reduce((sum, split) => sum + (counts[split] ?? 0), 0)

export const totalOf = (draft: CompositionDraft): number => ofEachLevel(draft) * draft.levels.length

/** “90 tasks in all: 30 easy, 30 medium and 30 hard” */
export function totalText(draft: CompositionDraft): string {
  const total = totalOf(draft)
  const parts = draft.levels.map((level) => composing.part(ofEachLevel(draft), level))
  return composing.total(total, total === 0 ? [] : parts)
}

/** What a task of the chosen levels is; of all of them, while none is chosen. */
export function explanation({ levels }: CompositionDraft): string {
  const shown = levels.length > 0 ? levels : LEVELS
  return composing.explain(composing.or(shown.map((level) => composing.sized(NODES[level], level))))
}

export function compositionBody(draft: CompositionDraft): Schemas['ComposeRequest'] {
  const { key, name, levels, counts, seed } = draft
  return {
    key: key.trim(),
    name: name.trim(),
    levels: [...levels],
    splits: { train: counts.train ?? 0, dev: counts.dev ?? 0, test: counts.test ?? 0 },
    seed: seed ?? 0,
  }
}
