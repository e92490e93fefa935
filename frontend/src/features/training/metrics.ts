/** How the metrics of a training are called and written: as its method says. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

import { formatCost, formatMetric, formatPercent, formatSeconds, formatShare } from '@/lib/format'

import { ROLE } from './curve'
import { text } from '@/strings/training'
import { trainableQuery, type TrainableMethod } from './use-training'

type Spec = TrainableMethod['metrics'][number]
type Format = (value: number | null | undefined) => string

export interface Metric {
  readonly key: string
  readonly title: string
  /** What its title leaves open; often nothing. */
  readonly help: string
  readonly unit: Spec['unit']
  readonly format: Format
  /** For the round values of an axis. */
  readonly axisFormat: Format
}

export interface Metrics {
  /** Those that the method names, in reading order. */
  readonly order: readonly string[]
  readonly of: (key: string) => Metric
}

const FORMATS: Readonly<Record<Spec['unit'], readonly [value: Format, axis: Format]>> = {
  '': [formatMetric, formatMetric],
  share: [formatShare, formatPercent],
  usd: [formatCost, formatCost],
  seconds: [formatSeconds, formatSeconds],
}

/** The metrics of these methods; null while they load. */
export function useMetrics(...methods: readonly string[]): Metrics | null {
  const { data, isPending } = useQuery(trainableQuery)
  const wanted = methods.join()
  return useMemo(() => {
    const specs = wanted
      .split(',')
      .flatMap((key) => data?.find(({ method }) => method === key)?.metrics ?? [])
    return isPending ? null : metricsBy(specs)
  }, [data, isPending, wanted])
}

export function metricsBy(specs: readonly Spec[]): Metrics {
  const known = new Map(specs.map((spec) => [spec.name, spec]))
  return { order: [...known.keys()], of: (key) => metricOf(key, known.get(key)) }
}

/** One that the method does not name has its own name; that of a role is the role's share. */
function metricOf(key: string, spec: Spec | undefined): Metric {
  const isRole = key.startsWith(ROLE)
  const unit = spec?.unit ?? (isRole ? 'share' : '')
  const [format, axisFormat] = FORMATS[unit]
  const own = (isRole ? text.shareOf(key.slice(ROLE.length)) : key).replaceAll('_', ' ')
  const title = spec?.title ?? own.charAt(0).toUpperCase() + own.slice(1)
  return { key, title, help: spec?.help ?? '', unit, format, axisFormat }
}
