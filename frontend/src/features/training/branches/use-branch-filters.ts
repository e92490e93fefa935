import { useMemo } from 'react'
import { useSearchParams } from 'react-router'

import { useSetParams } from '@/lib/use-param'

import type { GroupFilters } from './use-branches'

const NAMES = ['task', 'agent', 'turn', 'ended', 'rewards', 'least', 'most'] as const
type Name = (typeof NAMES)[number]

/** The filters in the address. Values that mean nothing are left out. */
export function filtersOf(params: URLSearchParams): GroupFilters {
  const rewards = params.get('rewards')
  const agent = params.get('agent')
  const ended = params.get('ended')
  const [task, turn] = [wholeOf(params.get('task')), wholeOf(params.get('turn'))]
  const [least, most] = [numberOf(params.get('least')), numberOf(params.get('most'))]
  return {
    ...(task === null ? {} : { task }),
    ...(agent ? { agent } : {}),
    ...(turn ? { turn } : {}),
    ...(ended ? { ended } : {}),
    ...(rewards === 'mixed' || rewards === 'equal' ? { mixed: rewards === 'mixed' } : {}),
    ...(least === null ? {} : { least }),
    ...(most === null ? {} : { most }),
  }
}

const numberOf = (text: string | null): number | null => {
  const value = text === null || text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : null
}

const wholeOf = (text: string | null): number | null => {
  const value = numberOf(text)
  return value !== null && Number.isInteger(value) && value >= 0 ? value : null
}

/** Which groups are shown, kept in the address. */
export function useBranchFilters() {
  const [params] = useSearchParams()
  const change = useSetParams()
  return useMemo(() => {
    const filters = filtersOf(params)
    return {
      filters,
      isFiltered: Object.keys(filters).length > 0,
      change: (name: Name, value: string | number | null) =>
        change({ [name]: value === null ? null : String(value) }),
      clear: () => change(Object.fromEntries(NAMES.map((name) => [name, null]))),
    }
  }, [params, change])
}
