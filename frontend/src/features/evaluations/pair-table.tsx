import { useSearchParams } from 'react-router'

import { DataTable, type Column, numberColumn } from '@/components/data-table'
import { IntervalAxis, IntervalPlot } from '@/components/interval-plot'
import { TextLink } from '@/components/text-link'
import { formatCount, formatMetric, formatP, formatPoints } from '@/lib/format'
import { asInterval, shareAxis, type Interval } from '@/lib/interval'
import { sortOf, sortText } from '@/lib/sorting'
import { useParam } from '@/lib/use-param'

import { text } from '@/strings/evaluations'

import type { Pair } from './use-evaluations'

const { pairs: words } = text
const WITHIN = [-1, 1] as const
const CLEAR = 0.05

interface Props {
  pairs: readonly Pair[]
  nameOf: (label: string) => string
  /** The arms differ in nothing but their methods. */
  isMethodAlone: boolean
}

/** Every two arms on the tasks that both answered. */
export function PairTable({ pairs, nameOf, isMethodAlone }: Readonly<Props>) {
  const [sort, setSort] = useParam('pairs')
  const axis = shareAxis(
    [...pairs.map(({ interval }) => asInterval(interval)), [0, 0] as const].filter(
      (interval) => interval !== null,
    ),
    WITHIN,
  )
  return (
    <>
      <p className="max-w-3xl px-4 py-2.5 text-xs text-ink-2">
        {words.help} {isMethodAlone ? '' : words.notTheMethods}
      </p>
      <div className="border-t border-line">
        <DataTable
          label={words.label}
          rows={pairs}
          keyOf={({ left, right }) => `${left}/${right}`}
          columns={columnsOn(axis, nameOf)}
          sort={sortOf(sort)}
          onSort={(next) => setSort(sortText(next))}
        />
      </div>
    </>
  )
}

const columnsOn = (axis: Interval, nameOf: (label: string) => string): Column<Pair>[] => [
  {
    key: 'pair',
    head: words.pair,
    isRowHead: true,
    className: 'min-w-32 sm:min-w-40',
    value: ({ left, right }) => `${left} ${right}`,
    render: (pair) => <PairLink pair={pair} nameOf={nameOf} />,
  },
  {
    key: 'difference',
    head: words.difference,
    numeric: true,
    value: ({ difference }) => difference,
    render: ({ difference, holm_p }) => (
      <>
        <span className="block font-medium">{formatPoints(difference)}</span>
        <span className="block text-xs text-ink-3">
          {holm_p !== null && holm_p < CLEAR ? words.certain : words.uncertain}
        </span>
      </>
    ),
  },
  {
    key: 'interval',
    head: (
      <span className="flex flex-col gap-1 sm:px-3">
        {words.interval}
        <IntervalAxis axis={axis} format={(tick) => formatMetric(Math.round(tick * 100))} />
      </span>
    ),
    className: 'w-[30%] min-w-40 sm:min-w-56',
    render: (pair) => <Difference pair={pair} axis={axis} nameOf={nameOf} />,
  },
  numberColumn('only_left', words.onlyLeft, ({ only_left }) => formatCount(only_left), undefined, {
    value: ({ only_left }) => only_left,
  }),
  numberColumn(
    'only_right',
    words.onlyRight,
    ({ only_right }) => formatCount(only_right),
    undefined,
    { value: ({ only_right }) => only_right },
  ),
  numberColumn('n', words.n, ({ n }) => formatCount(n), undefined, { value: ({ n }) => n }),
  numberColumn('p', words.p, ({ mcnemar_p }) => formatP(mcnemar_p), undefined, {
    first: 'ascending',
    value: ({ mcnemar_p }) => mcnemar_p,
  }),
  numberColumn('holm', words.corrected, ({ holm_p }) => formatP(holm_p), undefined, {
    first: 'ascending',
    value: ({ holm_p }) => holm_p,
  }),
]

interface LinkProps {
  pair: Pair
  nameOf: (label: string) => string
}

function PairLink({ pair: { left, right }, nameOf }: Readonly<LinkProps>) {
  const [params] = useSearchParams()
  const next = new URLSearchParams(params)
  for (const part of ['task', 'repeat']) next.delete(part)
  for (const [name, value] of Object.entries({ tab: 'compare', left, right })) next.set(name, value)
  return (
    <TextLink to={{ search: next.toString() }} title={words.open(nameOf(left), nameOf(right))}>
      {nameOf(left)} <span className="font-normal text-ink-3">{words.versus}</span> {nameOf(right)}
    </TextLink>
  )
}

function Difference({ pair, axis, nameOf }: Readonly<LinkProps & { axis: Interval }>) {
  const interval = asInterval(pair.interval)
  const [low, high] = [formatPoints(interval?.[0]), formatPoints(interval?.[1])]
  return (
    <span className="block sm:px-3">
      <IntervalPlot
        value={pair.difference}
        interval={interval}
        axis={axis}
        zero={0}
        label={words.plot(
          nameOf(pair.left),
          nameOf(pair.right),
          formatPoints(pair.difference),
          low,
          high,
        )}
      />
      {interval ? (
        <span className="block text-center text-xs text-ink-3">
          {text.armTable.range(low, high)}
        </span>
      ) : null}
    </span>
  )
}
