import type { RunStatus } from '@/components/badge'
import type { paths } from '@/generated/api'
import { filterParams, type FilterKind, type FiltersOf } from '@/lib/use-list-filters'

/** As long as a label of a note may be. */
export const LABEL_CHARS = 60
/** As long as the key of a role may be. */
export const ROLE_CHARS = 63
/** That a note may give. */
export const SCORES = [1, 2, 3, 4, 5] as const

/** Those that stand behind one button: seldom used, and many. */
export const RARER = [
  'role',
  'answers',
  'checkpoint',
  'correct',
  'annotated',
  'label',
  'min_score',
  'min_cost',
  'max_cost',
] as const

export const FILTERS: FilterKind<
  RunStatus,
  'method' | 'endpoint' | 'pool' | (typeof RARER)[number]
> = {
  statuses: ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'],
  own: ['method', 'endpoint', 'pool', ...RARER],
  read: {
    answers: (text) => (text === 'true' ? text : null),
    correct: yesOrNo,
    annotated: yesOrNo,
    min_score: score,
    min_cost: number,
    max_cost: number,
  },
}
export type RunFilters = FiltersOf<typeof FILTERS>

type Asked = NonNullable<paths['/api/runs']['get']['parameters']['query']>

/** The query of the API. */
export function runParams(filters: RunFilters): Asked {
  const { answers, correct, annotated, min_score, min_cost, max_cost, ...texts } = filterParams(
    FILTERS,
    filters,
  )
  const asked: Asked = { ...texts }
  if (answers) asked.answers = true
  if (correct) asked.correct = correct === 'true'
  if (annotated) asked.annotated = annotated === 'true'
  if (min_score) asked.min_score = Number(min_score)
  if (min_cost) asked.min_cost = Number(min_cost)
  if (max_cost) asked.max_cost = Number(max_cost)
  return asked
}

/** Where a file of all runs that match comes from. */
export function exportAddress(filters: RunFilters): string {
  const asked = Object.entries(runParams(filters)).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, String(each)]),
  )
  return `/api/runs/export?${new URLSearchParams(asked).toString()}`
}

function yesOrNo(text: string): string | null {
  return text === 'true' || text === 'false' ? text : null
}

function score(text: string): string | null {
  return SCORES.some((known) => String(known) === text) ? text : null
}

function number(text: string): string | null {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) && value >= 0 ? text : null
}
