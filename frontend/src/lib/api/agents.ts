import { queryOptions } from '@tanstack/react-query'

import type { components, paths } from '@/generated/api'

import { api, unwrap } from './client'

type Schemas = components['schemas']
export type AgentCurve = Schemas['AgentCurve']
export type AgentPoint = Schemas['AgentPoint']

export type CurvesAsked = NonNullable<paths['/api/agents/curves']['get']['parameters']['query']>

/** `version`: what grows with every reward; the curves are asked for again when it does. */
export const curvesQuery = (query: CurvesAsked, version: number | null = null) =>
  queryOptions({
    queryKey: ['agents', 'curves', query, version],
    queryFn: ({ signal }) => unwrap(api.GET('/api/agents/curves', { params: { query }, signal })),
    placeholderData: (before) => before,
  })
