import { useQuery } from '@tanstack/react-query'

import { IntervalPlot } from '@/components/interval-plot'
import { formatShare, UNKNOWN } from '@/lib/format'
import { asInterval } from '@/lib/interval'

import { text } from './evaluation-strings'
import { useArmName } from './use-arm-name'
import { summaryQuery, type ArmSummary, type Evaluation } from './use-evaluations'

const WHOLE = [0, 1] as const

/** The arm that leads, with its interval on the axis from 0 to 100 %. */
export function BestArm({ evaluation }: Readonly<{ evaluation: Evaluation }>) {
  const summary = useQuery({
    ...summaryQuery(evaluation),
    enabled: evaluation.done > 0,
  })
  const nameOf = useArmName(evaluation)
  const best = bestOf(summary.data?.arms ?? [])
  if (!best)
    return (
      <span className="text-ink-3">
        {evaluation.done === 0 || summary.isSuccess ? text.none : UNKNOWN}
      </span>
    )
  const interval = asInterval(best.interval)
  const name = nameOf(best.label)
  return (
    <span className="grid grid-cols-[1fr_auto] items-center gap-x-3">
      <span className="truncate" title={name}>
        {name}
      </span>
      <span className="font-medium">{formatShare(best.accuracy)}</span>
      <IntervalPlot
        className="col-span-2"
        value={best.accuracy}
        interval={interval}
        axis={WHOLE}
        label={text.armTable.plot(
          name,
          formatShare(best.accuracy),
          formatShare(interval?.[0]),
          formatShare(interval?.[1]),
        )}
      />
    </span>
  )
}

const bestOf = (arms: readonly ArmSummary[]): ArmSummary | undefined =>
  [...arms]
    .filter(({ accuracy }) => accuracy !== null)
    .sort((left, right) => (right.accuracy ?? 0) - (left.accuracy ?? 0))[0]
