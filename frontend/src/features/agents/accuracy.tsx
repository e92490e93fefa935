import { IntervalPlot } from '@/components/interval-plot'
import { formatCount, formatShare, UNKNOWN } from '@/lib/format'
import { asInterval } from '@/lib/interval'

import { text } from '@/strings/agents'

import type { Figures } from './use-agents'

const WHOLE = [0, 1] as const

/** The share of right answers with its interval on the axis from 0 to 100 %. */
export function Accuracy({ name, figures }: Readonly<{ name: string; figures: Figures }>) {
  const { accuracy, judged } = figures
  if (accuracy === null) return <span className="text-ink-3">{UNKNOWN}</span>
  const interval = asInterval(figures.interval)
  return (
    <span className="grid min-w-32 grid-cols-[auto_1fr] items-center gap-x-2">
      <span className="font-medium">{formatShare(accuracy)}</span>
      <span className="text-xs text-ink-3">{text.ofJudged(formatCount(judged))}</span>
      <IntervalPlot
        className="col-span-2"
        value={accuracy}
        interval={interval}
        axis={WHOLE}
        label={text.plot(
          name,
          formatShare(accuracy),
          formatShare(interval?.[0]),
          formatShare(interval?.[1]),
        )}
      />
    </span>
  )
}
