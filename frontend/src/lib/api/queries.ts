import { queryOptions, useQuery } from '@tanstack/react-query'

import type { components } from '@/generated/api'

import { UNTRAINED } from './checkpoints'
import { api, unwrap } from './client'

type Schemas = components['schemas']
export type Me = Schemas['Me']
export type Method = Schemas['Method']
export type Endpoint = Schemas['Endpoint']
export type Pool = Schemas['Pool']
export type Run = Schemas['Run']
export type Dataset = Schemas['Dataset']
export type RunSummary = Schemas['RunSummary']
export type Game = Schemas['Game']

const RARELY_CHANGES = 60_000
/** The longest page of the API; nobody has as many datasets. */
const ALL = 200

/** What several features read. Each feature keeps its own queries beside it. */
export const queries = {
  me: queryOptions({
    queryKey: ['me'],
    queryFn: () => unwrap(api.GET('/api/me')),
    staleTime: RARELY_CHANGES,
  }),
  methods: queryOptions({
    queryKey: ['methods'],
    queryFn: () => unwrap(api.GET('/api/methods')),
    staleTime: RARELY_CHANGES,
  }),
  endpoints: queryOptions({
    queryKey: ['endpoints'],
    queryFn: () => unwrap(api.GET('/api/endpoints')).then((page) => page.results),
    staleTime: RARELY_CHANGES,
  }),
  pools: queryOptions({
    queryKey: ['pools'],
    queryFn: () => unwrap(api.GET('/api/pools')).then((page) => page.results),
    staleTime: RARELY_CHANGES,
  }),
  pool: (key: string) =>
    queryOptions({
      queryKey: ['pool', key],
      queryFn: () => unwrap(api.GET('/api/pools/{key}', { params: { path: { key } } })),
      staleTime: RARELY_CHANGES,
    }),
  datasets: queryOptions({
    queryKey: ['datasets'],
    queryFn: () =>
      unwrap(api.GET('/api/datasets', { params: { query: { page_size: ALL } } })).then(
        (page) => page.results,
      ),
  }),
  games: queryOptions({
    queryKey: ['games'],
    queryFn: () => unwrap(api.GET('/api/games')),
    staleTime: RARELY_CHANGES,
  }),
  run: (id: string) =>
    queryOptions({
      queryKey: ['run', id],
      queryFn: () => unwrap(api.GET('/api/runs/{run_id}', { params: { path: { run_id: id } } })),
    }),
}

/** The logged-in user. Inside the shell it is always there: the shell waits for it. */
export function useMe(): Me | undefined {
  return useQuery(queries.me).data
}

/** The one with this key, else the default one, else the first. */
export const oneOf = <T extends { readonly key: string; readonly is_default?: boolean }>(
  items: readonly T[] = [],
  wanted: string | null = null,
): T | undefined =>
  items.find(({ key }) => key === wanted) ?? items.find((item) => item.is_default) ?? items[0]

/** The endpoint of a run that names none, if a checkpoint brings one along. */
export const ownEndpoint = (
  method: Method | undefined,
  checkpoint: string | null,
): string | null =>
  method && checkpoint !== UNTRAINED && (checkpoint || method.has_default_checkpoint)
    ? method.own_endpoint
    : null

/** The method's default limit of one reply; null: the studio's. */
export const usualReplyTokens = (
  method: Method | undefined,
  endpoint: Endpoint | undefined,
): number | null => (method && endpoint?.is_small ? method.small_reply_tokens : null)

/** Methods that a question can be put to without a design. */
export const askable = (methods: readonly Method[] = []): Method[] =>
  methods.filter((method) => !method.needs_design)

/** A method's name for people; its key while methods load, or when the method is gone. */
export function useMethodName(): (key: string) => string {
  const methods = useQuery(queries.methods).data
  return (key) => methods?.find((method) => method.key === key)?.name ?? key
}

/** Whether a method keeps what it learns of agents; undefined while methods load. */
export function useKeepsAgents(): (key: string) => boolean | undefined {
  const methods = useQuery(queries.methods).data
  return (key) => methods?.some((method) => method.key === key && method.keeps_agents)
}

export const cancelRun = (id: string): Promise<Run> =>
  unwrap(api.POST('/api/runs/{run_id}/cancel', { params: { path: { run_id: id } } }))

/** Goes on with a run that waits. */
export const continueRun = (id: string, body: Schemas['ContinuationRequest']): Promise<Run> =>
  unwrap(api.POST('/api/runs/{run_id}/continue', { params: { path: { run_id: id } }, body }))

/** What was built there as a new design; the design's id. */
export const takeIntoDesign = async (
  from: Readonly<
    | { from_run: string }
    | { from_sample: number }
    | { from_sampled_design: Schemas['SampledDesignPlaceRequest'] }
  >,
): Promise<string> => (await unwrap(api.POST('/api/designs', { body: from }))).id

export const retryRun = (id: string): Promise<Run> =>
  unwrap(api.POST('/api/runs/{run_id}/retry', { params: { path: { run_id: id } } }))
