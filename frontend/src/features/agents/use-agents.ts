import { queryOptions } from '@tanstack/react-query'

import type { components, paths } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { pagesOf } from '@/lib/api/pages'
import { filterParams, type FilterKind, type FiltersOf } from '@/lib/use-list-filters'

type Schemas = components['schemas']
export type AgentRow = Schemas['AgentListed']
export type Agent = Schemas['AgentDetail']
export type Figures = Schemas['AgentFigures']
export type Usage = Schemas['AgentUsage']
export type Reward = Schemas['AgentReward']

type Asked = NonNullable<paths['/api/agents']['get']['parameters']['query']>
export type Order = NonNullable<Asked['sort']>

export const FILTERS: FilterKind<never, 'pool' | 'endpoint' | 'role'> = {
  statuses: [],
  own: ['pool', 'endpoint', 'role'],
}
export type AgentFilters = FiltersOf<typeof FILTERS>

export const SPANS = ['30', '7', '90', '365'] as const
export type Span = (typeof SPANS)[number]

export const ORDERS = [
  '-count',
  'count',
  '-reward',
  'reward',
  '-cost',
  'cost',
  '-created',
  'created',
] as const satisfies readonly Order[]

const PAGE_SIZE = 50

export const agentList = (filters: AgentFilters, sort: Order, days: Span) =>
  pagesOf(['agents', 'list', filters, sort, days], (cursor, signal) => {
    const { pool, endpoint, role, q } = filterParams(FILTERS, filters)
    const page = { days: Number(days), page_size: PAGE_SIZE, cursor }
    const query = { sort, pool, endpoint, role, q, ...page }
    return api.GET('/api/agents', { params: { query }, signal })
  })

const of = (id: number) => ({ path: { id } })

export const agentQuery = (id: number) =>
  queryOptions({
    queryKey: ['agents', id],
    queryFn: () => unwrap(api.GET('/api/agents/{id}', { params: of(id) })),
  })

export const usageQuery = (id: number, days: Span) =>
  queryOptions({
    queryKey: ['agents', id, 'usage', days],
    queryFn: () =>
      unwrap(
        api.GET('/api/agents/{id}/usage', {
          params: { ...of(id), query: { days: Number(days) } },
        }),
      ),
    placeholderData: (before) => before,
  })

/** `recorded`: the rows of its history; when they grow, the curve is asked for again. */
export const curveQuery = (id: number, recorded: number) =>
  queryOptions({
    queryKey: ['agents', id, 'curve', recorded],
    queryFn: () => unwrap(api.GET('/api/agents/{id}/history/curve', { params: of(id) })),
    placeholderData: (before) => before,
  })

/** The runs in which an agent took part, of people and of evaluations, as its figures count them. */
export const runsOf = ({ pool, endpoint, role_key }: Agent): string =>
  `/runs?${new URLSearchParams({ pool, endpoint, role: role_key, answers: 'true' }).toString()}`

/** R or C; before the first reward neither is known. */
export const learned = (
  agent: Pick<Agent, 'reward' | 'cost' | 'count'>,
  what: 'reward' | 'cost',
): number | null => (agent.count > 0 ? agent[what] : null)
