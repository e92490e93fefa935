/** What is stored and holds what was typed: everything that has a name, in groups of a kind. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate } from 'react-router'

import { api, unwrap } from '@/lib/api/client'
import { queries } from '@/lib/api/queries'
import type { Command } from '@/lib/commands'
import { shorten } from '@/lib/format'
import { strings } from '@/strings/studio'

/** One letter would find everything. */
const SEARCHED_FROM = 2
const FOUND = 5
const LABEL_CHARS = 90
const STALE_MS = 60_000
const { palette: words, nav } = strings

export interface Group {
  readonly title: string
  readonly commands: readonly Command[]
}

/** One that can be gone to. `said`: what it is found by, beside its label. */
interface Named {
  readonly address: string
  readonly label: string
  readonly said?: string
}

export function useFound(typed: string): Group[] {
  const navigate = useNavigate()
  const q = typed.trim()
  const enabled = q.length >= SEARCHED_FROM
  const asked = useAsked(q, enabled)
  const kept = useKept(q, enabled)
  // All at once: a group that came later would push another away from under the pointer.
  if (!enabled || asked === null || kept === null) return []
  const command = ({ address, label }: Named): Command => ({
    id: `go ${address}`,
    label: shorten(label, LABEL_CHARS),
    run: () => void navigate(address),
  })
  return [...asked, ...kept].map(([title, found]) => ({ title, commands: found.map(command) }))
}

type Found = readonly (readonly [title: string, found: readonly Named[]])[]

/** Of kinds that may be many, by the server's search. null: not yet. */
function useAsked(q: string, enabled: boolean): Found | null {
  const query = { q, page_size: FOUND }
  const params = { params: { query } }
  const of = <T>(kind: string, ask: (signal: AbortSignal) => Promise<T>) => ({
    queryKey: [kind, 'palette', q],
    queryFn: ({ signal }: { signal: AbortSignal }) => ask(signal),
    enabled,
  })
  const [runs, designs, evaluations, trainings, checkpoints] = useQueries({
    queries: [
      of('runs', (signal) => unwrap(api.GET('/api/runs', { ...params, signal }))),
      of('designs', (signal) => unwrap(api.GET('/api/designs', { ...params, signal }))),
      of('evaluations', (signal) => unwrap(api.GET('/api/evaluations', { ...params, signal }))),
      of('trainings', (signal) => unwrap(api.GET('/api/training-jobs', { ...params, signal }))),
      of('checkpoints', (signal) => unwrap(api.GET('/api/checkpoints', { ...params, signal }))),
    ],
  })
  if ([runs, designs, evaluations, trainings, checkpoints].some(({ isPending }) => isPending))
    return null
  const at = (place: string) => (each: { id: string; name: string }) => ({
    address: `${place}/${each.id}`,
    label: each.name,
  })
  return [
    [
      nav.runs,
      runs.data?.results.map(({ id, query: label }) => ({ address: `/runs/${id}`, label })) ?? [],
    ],
    [nav.designs, designs.data?.results.map(at('/designs')) ?? []],
    [nav.evaluations, evaluations.data?.results.map(at('/evaluations')) ?? []],
    [nav.training, trainings.data?.results.map(at('/training')) ?? []],
    [
      words.checkpoints,
      checkpoints.data?.results.map(({ name, label }) => ({
        address: addressOf('/training', { tab: 'checkpoints', find: name }),
        label: label || name,
      })) ?? [],
    ],
  ]
}

/** Of kinds that are few and mostly there already. null: not yet. */
function useKept(q: string, enabled: boolean): Found | null {
  const kept = { enabled, staleTime: STALE_MS }
  const datasets = useQuery({ ...queries.datasets, ...kept })
  const endpoints = useQuery({ ...queries.endpoints, ...kept })
  const pools = useQuery({ ...queries.pools, ...kept })
  const roles = useQueries({
    queries: (pools.data ?? []).map(({ key }) => ({ ...queries.pool(key), ...kept })),
  })
  if ([datasets, endpoints, pools, ...roles].some(({ isPending }) => isPending)) return null
  const rolesOf = roles.flatMap(({ data: pool }) =>
    (pool?.roles ?? []).map(({ key, name }) => ({
      address: addressOf('/roles', { pool: pool?.key ?? '', role: key }),
      label: roles.length > 1 ? `${name} (${pool?.name ?? ''})` : name,
      said: key,
    })),
  )
  return [
    [
      nav.datasets,
      those(q, datasets.data, ({ key, name }) => ({
        address: `/datasets/${key}`,
        label: name || key,
        said: key,
      })),
    ],
    [nav.roles, those(q, rolesOf, (role) => role)],
    [
      nav.endpoints,
      those(q, endpoints.data, ({ key, name, model }) => ({
        address: `/endpoints#${key}`,
        label: name || key,
        said: `${key} ${model}`,
      })),
    ],
  ]
}

const addressOf = (place: string, parts: Record<string, string>): string =>
  `${place}?${new URLSearchParams(parts).toString()}`

/** The first that hold every word that was typed. */
function those<T>(q: string, all: readonly T[] = [], named: (each: T) => Named): Named[] {
  const parts = q.toLowerCase().split(/\s+/)
  return all
    .map(named)
    .filter(({ label, said = '' }) => {
      const held = `${label} ${said}`.toLowerCase()
      return parts.every((part) => held.includes(part))
    })
    .slice(0, FOUND)
}
