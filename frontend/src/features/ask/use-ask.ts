import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'

import { uploadsOf } from '@/components/attach/attachments'
import { isEnabled } from '@/components/options'
import type { components } from '@/generated/api'
import type { FieldsOf } from '@/lib/api/fields-of'
import { api, unwrap } from '@/lib/api/client'
import {
  queries,
  type Endpoint,
  type Method,
  type Pool,
  oneOf,
  ownEndpoint,
} from '@/lib/api/queries'
import { changedConfig, type ConfigField } from '@/lib/config-schema'
import { useIdempotencyKey } from '@/lib/idempotency-key'

import { useDraft, type Draft } from './draft-store'

type RunRequest = components['schemas']['RunRequest']

export interface Choices {
  readonly method: Method | undefined
  readonly endpoint: Endpoint | undefined
  readonly pool: Pool | undefined
  readonly fields: readonly ConfigField[]
}

interface Known {
  readonly methods: readonly Method[] | undefined
  readonly endpoints: readonly Endpoint[] | undefined
  readonly pools: readonly Pool[] | undefined
}

/** What the draft names where it still exists, else the studio's defaults. */
export function chosen(
  draft: Draft,
  fieldsOf: FieldsOf,
  { methods = [], endpoints = [], pools = [] }: Known,
): Choices {
  const method = oneOf(methods, draft.method)
  return {
    method,
    fields: fieldsOf(method, draft.checkpoint),
    endpoint: oneOf(
      endpoints.filter(isEnabled),
      draft.endpoint ?? ownEndpoint(method, draft.checkpoint),
    ),
    pool: oneOf(pools, draft.pool),
  }
}

/** The settings without those that only say what stands there anyway. */
export const chosenConfig = (
  draft: Draft,
  { method, fields }: Pick<Choices, 'method' | 'fields'>,
): Draft['config'] =>
  method
    ? { ...draft.config, [method.key]: changedConfig(fields, draft.config[method.key] ?? {}) }
    : draft.config

/** The body of `POST /api/runs`: only what was chosen, so that the server's defaults stay the server's. */
export function requestOf(draft: Draft, { method, endpoint, pool, fields }: Choices): RunRequest {
  const config = (method && chosenConfig(draft, { method, fields })[method.key]) ?? {}
  const budget = Object.fromEntries(
    Object.entries(draft.budget).filter(([, value]) => value !== null),
  )
  return {
    query: draft.query,
    ...uploadsOf(draft.files),
    ...(draft.task === null
      ? draft.reference.trim()
        ? { reference: draft.reference }
        : {}
      : { task: draft.task }),
    method: method?.key ?? '',
    ...(endpoint ? { endpoint: endpoint.key } : {}),
    ...(method?.needs_pool && pool ? { pool: pool.key } : {}),
    ...(method?.learns && draft.checkpoint ? { checkpoint: draft.checkpoint } : {}),
    ...(draft.seed === null ? {} : { seed: draft.seed }),
    ...(Object.keys(config).length > 0 ? { method_config: config } : {}),
    ...(Object.keys(budget).length > 0 ? { budget } : {}),
  }
}

export function useAsk() {
  const navigate = useNavigate()
  const client = useQueryClient()
  const key = useIdempotencyKey()
  const ask = useMutation({
    mutationKey: ['ask'],
    mutationFn: (body: RunRequest) =>
      key.send(body, (header) => unwrap(api.POST('/api/runs', { params: { header }, body }))),
    onSuccess: async (run) => {
      client.setQueryData(queries.run(run.id).queryKey, run)
      void client.invalidateQueries({ queryKey: ['runs'] })
      useDraft.getState().change({ query: '', reference: '', task: null, files: [] })
      await navigate(`/runs/${run.id}`)
    },
  })
  /** Asked of the cache and not of the last render: a double click comes before the next one. */
  const start = (body: RunRequest): void => {
    if (client.isMutating({ mutationKey: ['ask'] }) === 0) ask.mutate(body)
  }
  return { start, isPending: ask.isPending, error: ask.error }
}
