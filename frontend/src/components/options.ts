import type { Endpoint, Pool } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { strings } from '@/strings/studio'

import type { Option } from './select'

interface Named {
  readonly key: string
  readonly name: string
  readonly description?: string
}

/** To choose one by its name. */
export const named = (items: readonly Omit<Named, 'description'>[] = []): Option[] =>
  items.map(({ key, name }) => ({ key, label: name || key }))

export const described = (items: readonly Named[] = []): Option[] =>
  items.map(({ key, name, description }) => ({ key, label: name, description }))

export const isEnabled = ({ enabled }: { readonly enabled?: boolean }): boolean => enabled !== false

/** Those that can be used now. */
export const endpointOptions = (endpoints: readonly Endpoint[] = []): Option[] =>
  endpoints
    .filter(isEnabled)
    .map(({ key, name, model }) => ({ key, label: name || key, description: model }))

export const poolOptions = (pools: readonly Pool[] = []): Option[] =>
  pools.map(({ key, name, role_count, version }) => ({
    key,
    label: name,
    description: `${strings.roles.count(formatCount(role_count))} · ${strings.common.version(version)}`,
  }))
