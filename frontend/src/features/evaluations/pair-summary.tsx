import { Fact } from '@/components/fact'
import { IntervalPlot } from '@/components/interval-plot'
import { formatCount, formatP, formatPoints } from '@/lib/format'
import { asInterval, shareAxis, type Interval } from '@/lib/interval'

import { text } from '@/strings/evaluations'
import type { Pair } from './use-evaluations'

const { pairs: words } = text
const WITHIN = [-1, 1] as const

interface Props {
  pair: Pair
  nameOf: (label: string) => string
  turned?: boolean
}

/** The numbers of one pair; `turned` when the sides on the page are the other way round. */
export function PairSummary({ pair, nameOf, turned = false }: Readonly<Props>) {
  const shown = turned ? turn(pair) : pair
  const interval = asInterval(shown.interval)
  const axis = shareAxis([...(interval ? [interval] : []), [0, 0]], WITHIN)
  const [low, high] = [formatPoints(interval?.[0]), formatPoints(interval?.[1])]
  return (
    <dl className="grid grid-cols-2 items-end gap-x-6 gap-y-3 rounded-lg border border-line bg-surface-1 px-4 py-3 sm:flex sm:flex-wrap">
      <Fact name={words.only(nameOf(shown.left))}>{formatCount(shown.only_left)}</Fact>
      <Fact name={words.only(nameOf(shown.right))}>{formatCount(shown.only_right)}</Fact>
      <Fact name={words.n}>{formatCount(shown.n)}</Fact>
      <Fact name={words.p}>{formatP(shown.mcnemar_p)}</Fact>
      <Fact name={words.corrected}>{formatP(shown.holm_p)}</Fact>
      <Fact name={words.difference}>{formatPoints(shown.difference)}</Fact>
      <Fact name={words.interval} className="col-span-2 min-w-64 flex-1">
        <span className="flex items-center gap-3">
          <IntervalPlot
            className="flex-1"
            value={shown.difference}
            interval={interval}
            axis={axis}
            zero={0}
            label={words.plot(
              nameOf(shown.left),
              nameOf(shown.right),
              formatPoints(shown.difference),
              low,
              high,
            )}
          />
          <span className="text-xs font-normal text-ink-2">
            {interval ? text.armTable.range(low, high) : ''}
          </span>
        </span>
      </Fact>
    </dl>
  )
}

function turn(pair: Pair): Pair {
  const interval = asInterval(pair.interval)
  const turned: Interval | null = interval && [-interval[1], -interval[0]]
  return {
    ...pair,
    left: pair.right,
    right: pair.left,
    only_left: pair.only_right,
    only_right: pair.only_left,
    difference: pair.difference === null ? null : -pair.difference,
    interval: turned && [...turned],
  }
}
