/** What is stored and holds what was typed: everything that has a name, in groups of a kind. Fetched
 * once somebody types: the palette itself is part of every first visit. */
import type { QueryClient, QueryExecuteOptions } from '@tanstack/react-query'

import { api, unwrap } from '@/lib/api/client'
import { queries } from '@/lib/api/queries'
import type { Command } from '@/lib/commands'
import { usePreferences } from '@/lib/preferences'
import { strings } from '@/strings/studio'

const FOUND = 5
const STALE_MS = 60_000
const { palette: words, nav } = strings

/** One that can be gone to. `said`: what it is found by, beside its label. */
interface Named {
  readonly address: string
  readonly label: string
  readonly said?: string
}

export type Found = readonly (readonly [title: string, found: readonly Named[]])[]

/** Of a kind that cannot be read, e.g. since its list is down, nothing is found. */
export async function findStored(
  q: string,
  client: QueryClient,
  signal: AbortSignal,
): Promise<Found> {
  const asked = { params: { query: { q, page_size: FOUND } }, signal }
  const at = (place: string) => (each: { id: string; name: string }) => ({
    address: `${place}/${each.id}`,
    label: each.name,
  })
  const kinds = [
    kind(nav.runs, unwrap(api.GET('/api/runs', asked)), ({ id, query }) => ({
      address: `/runs/${id}`,
      label: query,
    })),
    kind(nav.designs, unwrap(api.GET('/api/designs', asked)), at('/designs')),
    kind(nav.evaluations, unwrap(api.GET('/api/evaluations', asked)), at('/evaluations')),
    kind(nav.training, unwrap(api.GET('/api/training-jobs', asked)), at('/training')),
    kind(words.checkpoints, unwrap(api.GET('/api/checkpoints', asked)), ({ name, label }) => ({
      address: addressOf('/training', { tab: 'checkpoints', find: name }),
      label: label === undefined || label === '' ? name : label,
    })),
    // Of kinds that are few, all are read and mostly there already.
    few(q, nav.datasets, kept(client, queries.datasets), ({ key, name }) => ({
      address: `/datasets/${key}`,
      label: name || key,
      said: key,
    })),
    few(q, nav.roles, rolesOf(client), (role) => role),
    few(q, nav.endpoints, kept(client, queries.endpoints), ({ key, name, model }) => ({
      address: `/endpoints#${key}`,
      label: name || key,
      said: `${key} ${model}`,
    })),
  ]
  return Promise.all(kinds)
}

const kept = <T, K extends readonly unknown[]>(
  client: QueryClient,
  query: QueryExecuteOptions<T, Error, T, T, K>,
): Promise<T> => client.query({ ...query, staleTime: STALE_MS })

async function kind<T>(
  title: string,
  page: Promise<{ results: readonly T[] }>,
  named: (each: T) => Named,
): Promise<readonly [string, readonly Named[]]> {
  const { results } = await page.catch(() => ({ results: [] as readonly T[] }))
  return [title, results.map(named)]
}

/** The first that hold every word that was typed. */
async function few<T>(
  q: string,
  title: string,
  all: Promise<readonly T[]>,
  named: (each: T) => Named,
): Promise<readonly [string, readonly Named[]]> {
  const parts = q.toLowerCase().split(/\s+/)
  const known = (await all.catch(() => [])).map(named)
  const found = known.filter(({ label, said = '' }) => {
    const held = `${label} ${said}`.toLowerCase()
    return parts.every((part) => held.includes(part))
  })
  return [title, found.slice(0, FOUND)]
}

async function rolesOf(client: QueryClient): Promise<Named[]> {
  const listed = await kept(client, queries.pools)
  const pools = await Promise.all(listed.map(({ key }) => kept(client, queries.pool(key))))
  return pools.flatMap((pool) =>
    pool.roles.map(({ key, name }) => ({
      address: addressOf('/roles', { pool: pool.key, role: key }),
      label: pools.length > 1 ? `${name} (${pool.name})` : name,
      said: key,
    })),
  )
}

const addressOf = (place: string, parts: Record<string, string>): string =>
  `${place}?${new URLSearchParams(parts).toString()}`

/** How this browser shows the pages. */
export function settings(): Command[] {
  const { setTheme, rawMessages, setRawMessages } = usePreferences.getState()
  const themes = (['system', 'light', 'dark'] as const).map((theme) => ({
    id: `theme ${theme}`,
    label: words.theme(nav.themes[theme]),
    run: () => setTheme(theme),
  }))
  const label = rawMessages ? words.formatted : words.raw
  return [...themes, { id: 'messages', label, run: () => setRawMessages(!rawMessages) }]
}
