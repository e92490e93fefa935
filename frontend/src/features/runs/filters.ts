import type { RunStatus } from '@/components/badge'
import type { paths } from '@/generated/api'
import { filterParams, type FilterKind, type FiltersOf } from '@/lib/use-list-filters'

/** Those that stand behind one button: seldom used, and many. */
export const RARER = [
  'checkpoint',
  'correct',
  'annotated',
  'label',
  'min_cost',
  'max_cost',
] as const

export const FILTERS: FilterKind<
  RunStatus,
  'method' | 'endpoint' | 'pool' | (typeof RARER)[number]
> = {
  statuses: ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'],
  own: ['method', 'endpoint', 'pool', ...RARER],
}
export type RunFilters = FiltersOf<typeof FILTERS>

type Asked = NonNullable<paths['/api/runs']['get']['parameters']['query']>

/** The query of the API. What an address says that is no number or no yes or no is left out. */
export function runParams(filters: RunFilters): Asked {
  const { correct, annotated, min_cost, max_cost, ...texts } = filterParams(FILTERS, filters)
  const asked: Asked = { ...texts }
  const right = yesOrNo(correct)
  const noted = yesOrNo(annotated)
  const least = amount(min_cost)
  const most = amount(max_cost)
  if (right !== null) asked.correct = right
  if (noted !== null) asked.annotated = noted
  if (least !== null) asked.min_cost = least
  if (most !== null) asked.max_cost = most
  return asked
}

const yesOrNo = (text: string | undefined): boolean | null =>
  text === 'true' ? true : text === 'false' ? false : null

export function amount(text: string | null | undefined): number | null {
  const value = text ? Number(text) : Number.NaN
  return Number.isFinite(value) && value >= 0 ? value : null
}
