import { useMemo } from 'react'
import { useSearchParams } from 'react-router'

import { isLater, type FamilyTab } from '@/components/run/family-views'
import { FAMILIES } from '@/families/registry'
import { useSetParams } from '@/lib/use-param'

const DEFAULT_METRICS = ['reward', 'accuracy', 'tokens']
const DEFAULT_SMOOTHING = 0.6
export const MOST_SMOOTHING = 0.98

export interface CurveAddress {
  readonly metrics: readonly string[]
  /** Nobody chose these metrics: what a training does not have is left out. */
  readonly isDefault: boolean
  /** Trainings drawn beside this one. */
  readonly others: readonly string[]
  readonly smoothing: number
  readonly step: number | null
  readonly sample: number | null
  readonly agent: string | null
  /** 'agents' or the key of a family's tab; null: the tab that the sample opens with. */
  readonly view: string | null
  /** What is chosen in each family's tab, by the tab's parameter. */
  readonly chosen: Readonly<Record<string, string | null>>
}

const PARAMETERS = FAMILIES.flatMap(
  (family) => (isLater(family) ? family : family.tab)?.parameter ?? [],
)

const chosenBy = (find: (parameter: string) => string | null): CurveAddress['chosen'] =>
  Object.fromEntries(PARAMETERS.map((parameter) => [parameter, find(parameter)]))

/** Agents, and what families' tabs show, are of one system. */
const NOTHING_CHOSEN = { agent: null, ...chosenBy(() => null) }

const numberOf = (text: string | null): number | null => {
  const value = text === null || text === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : null
}

const listOf = (text: string | null): string[] => (text ?? '').split(',').filter(Boolean)

export function curveAddressOf(params: URLSearchParams): CurveAddress {
  const metrics = listOf(params.get('metrics'))
  const smoothing = numberOf(params.get('smooth')) ?? DEFAULT_SMOOTHING
  return {
    metrics: metrics.length > 0 ? metrics : DEFAULT_METRICS,
    isDefault: metrics.length === 0,
    others: listOf(params.get('with')),
    smoothing: Math.min(MOST_SMOOTHING, Math.max(0, smoothing)),
    step: numberOf(params.get('step')),
    sample: numberOf(params.get('sample')),
    agent: params.get('agent'),
    view: params.get('view'),
    chosen: chosenBy((parameter) => params.get(parameter)),
  }
}

/** What the timeline shows, kept in the address so that a link shows the same. */
export function useCurveAddress() {
  const [params] = useSearchParams()
  const change = useSetParams()
  const address = useMemo(() => curveAddressOf(params), [params])
  return useMemo(
    () => ({
      ...address,
      setMetrics: (names: readonly string[]) => change({ metrics: names.join(',') }),
      setOthers: (ids: readonly string[]) => change({ with: ids.join(',') }),
      setSmoothing: (value: number) =>
        change({ smooth: value === DEFAULT_SMOOTHING ? null : String(value) }),
      openStep: (step: number | null) =>
        change(
          { step: step === null ? null : String(step), sample: null, ...NOTHING_CHOSEN },
          { isStep: step !== address.step },
        ),
      openSample: (id: number | null) =>
        change(
          { sample: id === null ? null : String(id), ...NOTHING_CHOSEN },
          { isStep: id !== address.sample },
        ),
      openAgent: (id: string | null) => change({ agent: id }),
      openOwn: ({ parameter }: FamilyTab, id: string | null, view: string | null) =>
        change({ [parameter]: id, agent: null, view }),
      openView: (view: string | null) => change({ view }),
    }),
    [address, change],
  )
}
