import type { Option } from '@/components/select'
import type { FieldsOf } from '@/lib/api/checkpoints'
import type { Endpoint, Method, Pool } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { strings } from '@/strings/studio'

import type { Draft } from './draft-store'
import type { Choices } from './use-ask'

interface Known {
  readonly methods: readonly Method[] | undefined
  readonly endpoints: readonly Endpoint[] | undefined
  readonly pools: readonly Pool[] | undefined
}

const DEFAULT_METHOD = 'mashost'

/** What the draft names where it still exists, else the studio's defaults. */
export function chosen(
  draft: Draft,
  fieldsOf: FieldsOf,
  { methods = [], endpoints = [], pools = [] }: Known,
): Choices {
  const method =
    methods.find(({ key }) => key === draft.method) ??
    methods.find(({ key }) => key === DEFAULT_METHOD) ??
    methods[0]
  return {
    method,
    fields: fieldsOf(method, draft.checkpoint),
    endpoint: chosenEndpoint(draft, endpoints),
    pool:
      pools.find(({ key }) => key === draft.pool) ??
      pools.find(({ is_default }) => is_default) ??
      pools[0],
  }
}

export function chosenEndpoint(
  draft: Pick<Draft, 'endpoint'>,
  endpoints: readonly Endpoint[],
): Endpoint | undefined {
  const enabled = endpoints.filter(({ enabled }) => enabled !== false)
  return (
    enabled.find(({ key }) => key === draft.endpoint) ??
    enabled.find(({ is_default }) => is_default) ??
    enabled[0]
  )
}

export const methodOptions = (methods: readonly Method[] = []): Option[] =>
  methods.map(({ key, name, description }) => ({
    key,
    label: name,
    description,
  }))

export const endpointOptions = (endpoints: readonly Endpoint[] = []): Option[] =>
  endpoints
    .filter(({ enabled }) => enabled !== false)
    .map(({ key, name, model }) => ({ key, label: name || key, description: model }))

export const poolOptions = (pools: readonly Pool[] = []): Option[] =>
  pools.map(({ key, name, role_count, version }) => ({
    key,
    label: name,
    description: `${strings.roles.count(formatCount(role_count))} · ${strings.common.version(version)}`,
  }))
