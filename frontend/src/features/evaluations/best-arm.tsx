import { IntervalPlot } from '@/components/interval-plot'
import { formatShare } from '@/lib/format'
import { asInterval } from '@/lib/interval'

import { text } from '@/strings/evaluations'
import { useArmName } from './use-arm-name'
import type { EvaluationListed } from './use-evaluations'

const WHOLE = [0, 1] as const

/** The arm that leads, with its interval on the axis from 0 to 100 %. */
export function BestArm({ evaluation }: Readonly<{ evaluation: EvaluationListed }>) {
  const nameOf = useArmName(evaluation)
  const { best } = evaluation
  if (!best) return <span className="text-ink-3">{text.none}</span>
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
