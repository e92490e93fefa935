import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'

import { useSetParams } from './use-param'

/** What a list can be filtered by, beside a text and “mine”. */
export interface FilterKind<Status extends string, Own extends string> {
  readonly statuses: readonly Status[]
  /** Parts of the address that only this list has. */
  readonly own: readonly Own[]
  /** What an address says of them that is none of their values is null, as if it said nothing. */
  readonly read?: Readonly<Partial<Record<Own, (text: string) => string | null>>>
}

interface CommonFilters<Status extends string> {
  readonly status: Status | null
  readonly mine: boolean
  readonly q: string
}

export type Filters<Status extends string, Own extends string> = CommonFilters<Status> &
  Readonly<Record<Own, string | null>>

export type FiltersOf<Kind> =
  Kind extends FilterKind<infer Status, infer Own> ? Filters<Status, Own> : never

interface Filter<Status extends string, Shown> {
  readonly statuses: readonly Status[]
  readonly filters: Shown
  readonly isFiltered: boolean
  /** The part of the address that says all this; the same for the same filters. */
  readonly address: string
  /** Filters by an address kept from before, and by nothing else. */
  readonly open: (address: string) => void
  /** Whether an address kept from before says what is shown. */
  readonly isOpen: (address: string) => boolean
  readonly change: (part: Partial<Shown>) => void
  readonly clear: () => void
}

/** What the lists have in common. */
export type CommonFilter<Status extends string> = Filter<Status, CommonFilters<Status>>

const each = <Own extends string, Value>(
  names: readonly Own[],
  value: (name: Own) => Value,
): Record<Own, Value> =>
  // Object.fromEntries forgets which names there are.
  Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Own, Value>

/** The filters as the address says; an unknown status is left out rather than shown as an error. */
export function filtersOf<Status extends string, Own extends string>(
  { statuses, own, read }: FilterKind<Status, Own>,
  search: URLSearchParams,
): Filters<Status, Own> {
  const status = search.get('status')
  const said = (name: Own): string | null => {
    const value = search.get(name)
    const reader = read?.[name]
    return value === null || !reader ? value : reader(value)
  }
  return {
    ...each(own, said),
    status: statuses.find((known) => known === status) ?? null,
    mine: search.get('mine') === 'true',
    q: search.get('q') ?? '',
  }
}

/** The query of the API: only what is set. */
export function filterParams<Status extends string, Own extends string>(
  { own }: FilterKind<Status, Own>,
  filters: Filters<Status, Own>,
): Partial<Record<Own, string>> & { status?: Status[]; mine?: true; q?: string } {
  const { status, mine, q }: CommonFilters<Status> = filters
  const set: Partial<Record<Own, string>> = {}
  for (const name of own) if (filters[name]) set[name] = filters[name]
  return {
    ...set,
    ...(status ? { status: [status] } : {}),
    ...(mine ? { mine } : {}),
    ...(q ? { q } : {}),
  }
}

const inAddress = (part: object): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(part as Record<string, string | boolean | null>).map(([name, value]) => [
      name,
      value ? String(value) : null,
    ]),
  )

export const addressOf = (filters: object): string =>
  new URLSearchParams(
    Object.entries(inAddress(filters)).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    ),
  ).toString()

/** A list's filters, kept in the address, so that a link shows the same rows. */
export function useListFilters<Status extends string, Own extends string>(
  kind: FilterKind<Status, Own>,
): Filter<Status, Filters<Status, Own>> {
  const [search] = useSearchParams()
  const setParams = useSetParams()
  const filters = useMemo(() => filtersOf(kind, search), [kind, search])
  const change = useCallback(
    (part: Partial<Filters<Status, Own>>) => setParams(inAddress(part)),
    [setParams],
  )
  const clear = useCallback(
    () => setParams({ ...each(kind.own, () => null), status: null, mine: null, q: null }),
    [kind, setParams],
  )
  const open = useCallback(
    (kept: string) =>
      setParams(inAddress(filtersOf(kind, new URLSearchParams(kept))), { isStep: true }),
    [kind, setParams],
  )
  const address = useMemo(() => addressOf(filters), [filters])
  const isOpen = useCallback(
    (kept: string) => addressOf(filtersOf(kind, new URLSearchParams(kept))) === address,
    [kind, address],
  )
  return {
    statuses: kind.statuses,
    filters,
    isFiltered: address !== '',
    address,
    open,
    isOpen,
    change,
    clear,
  }
}
