import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { DataTable, type Column, numberColumn } from '@/components/data-table'
import { IntervalAxis, IntervalPlot } from '@/components/interval-plot'
import { queries } from '@/lib/api/queries'
import { formatCost, formatCount, formatSeconds, formatShare } from '@/lib/format'
import { asInterval, shareAxis, type Interval } from '@/lib/interval'
import { seriesLook } from '@/lib/series'
import { sortOf, sortText } from '@/lib/sorting'
import { useParam } from '@/lib/use-param'

import { ArmAbout } from './arm-about'
import { rangeText } from './range-text'
import { StackedNumber } from './stacked-number'
import { text } from '@/strings/evaluations'

import { useArmName } from './use-arm-name'
import type { ArmSummary, Evaluation } from './use-evaluations'

const { armTable } = text

interface Props {
  evaluation: Evaluation
  arms: readonly ArmSummary[]
}

type Row = ArmSummary & { readonly index: number; readonly name: string; readonly about: ReactNode }

/** One row per arm, all intervals on one axis. */
export function ArmTable({ evaluation, arms }: Readonly<Props>) {
  const [sort, setSort] = useParam('sort')
  const methods = useQuery(queries.methods).data
  const armName = useArmName(evaluation)
  const axis = shareAxis(
    arms.map(({ interval }) => asInterval(interval)).filter((interval) => interval !== null),
  )
  const rows = arms.map((arm, index): Row => {
    const known = evaluation.arms.find(({ label }) => label === arm.label)
    const name = armName(arm.label)
    const method = methods?.find(({ key }) => key === known?.method)
    const about = known ? <ArmAbout arm={known} method={method} name={name} /> : null
    return { ...arm, index, name, about }
  })
  return (
    <DataTable
      label={armTable.label}
      rows={rows}
      keyOf={({ label }) => label}
      columns={columnsOn(axis)}
      sort={sortOf(sort ?? '-accuracy')}
      onSort={(next) => setSort(sortText(next))}
    />
  )
}

const columnsOn = (axis: Interval): Column<Row>[] => [
  {
    key: 'arm',
    head: armTable.arm,
    isRowHead: true,
    className: 'min-w-28 sm:min-w-56',
    value: ({ name }) => name,
    render: ({ name, about }) => (
      <>
        <span className="break-words">{name}</span>
        {about}
      </>
    ),
  },
  {
    key: 'accuracy',
    head: armTable.accuracy,
    numeric: true,
    value: ({ accuracy }) => accuracy,
    render: ({ accuracy, correct, n, unjudged }) => (
      <StackedNumber
        main={formatShare(accuracy)}
        below={armTable.of(formatCount(correct), formatCount(n))}
        note={unjudged > 0 ? armTable.unjudged(formatCount(unjudged)) : null}
      />
    ),
  },
  {
    key: 'interval',
    head: (
      <span className="flex flex-col gap-1 sm:px-3">
        {armTable.interval}
        <IntervalAxis axis={axis} format={(tick) => `${Math.round(tick * 100)} %`} />
      </span>
    ),
    className: 'w-[32%] min-w-40 sm:min-w-56',
    render: (arm) => <Accuracy arm={arm} axis={axis} />,
  },
  {
    key: 'tokens',
    head: armTable.tokens,
    title: armTable.tokensHelp,
    numeric: true,
    first: 'ascending',
    value: ({ tokens_mean }) => tokens_mean,
    render: ({ tokens_mean, tokens_interval, unknown_usage }) => (
      <StackedNumber
        main={formatCount(tokens_mean)}
        below={rangeText(tokens_interval, formatCount)}
        note={unknown_usage > 0 ? armTable.unknownUsage(formatCount(unknown_usage)) : null}
        noteHelp={armTable.unknownUsageHelp}
      />
    ),
  },
  numberColumn('cost', armTable.cost, ({ cost_mean }) => formatCost(cost_mean), armTable.costHelp, {
    first: 'ascending',
    value: ({ cost_mean }) => cost_mean,
  }),
  {
    key: 'seconds',
    head: armTable.seconds,
    title: armTable.secondsHelp,
    numeric: true,
    first: 'ascending',
    value: ({ seconds_mean }) => seconds_mean,
    render: ({ seconds_mean, seconds_median, seconds_p95, cached }) => (
      <StackedNumber
        main={formatSeconds(seconds_mean)}
        below={[
          ...(seconds_median === null
            ? []
            : [armTable.quantiles(formatSeconds(seconds_median), formatSeconds(seconds_p95))]),
          ...(cached > 0 ? [armTable.cached(formatCount(cached))] : []),
        ]}
      />
    ),
  },
  numberColumn('cut', armTable.cut, (arm) => <Cut arm={arm} />, armTable.cutHelp, {
    value: ({ cut_share }) => cut_share,
  }),
  {
    key: 'failures',
    head: armTable.failures,
    title: armTable.failuresHelp,
    numeric: true,
    value: ({ failures }) => failures,
    render: ({ failures, out_of_time }) => (
      <>
        <span className={failures > 0 ? 'font-medium text-bad' : ''}>{formatCount(failures)}</span>
        {out_of_time > 0 ? (
          <span className="block text-xs font-medium text-warn">
            {armTable.outOfTime(formatCount(out_of_time))}
          </span>
        ) : null}
      </>
    ),
  },
]

function Accuracy({ arm, axis }: Readonly<{ arm: Row; axis: Interval }>) {
  const interval = asInterval(arm.interval)
  const [low, high] = [formatShare(interval?.[0]), formatShare(interval?.[1])]
  return (
    <span className="block sm:px-3">
      <IntervalPlot
        value={arm.accuracy}
        interval={interval}
        axis={axis}
        color={seriesLook(arm.index).color}
        label={armTable.plot(arm.name, formatShare(arm.accuracy), low, high)}
      />
      {interval ? (
        <span className="block text-center text-xs text-ink-3">{armTable.range(low, high)}</span>
      ) : null}
    </span>
  )
}

/** The share of cut answers. That a final one was cut, or that older answers do not say, is warned of. */
function Cut({ arm }: Readonly<{ arm: ArmSummary }>) {
  const { cut_share, cut_replies, replies, cut_finals, finals, cuts_unknown } = arm
  if (cut_share === null) return <StackedNumber main={armTable.cutUnknown} below={[]} />
  const ofFinals = finals > 0 ? armTable.cutFinals(formatCount(cut_finals), finals) : null
  const warned = [
    ...(ofFinals !== null && cut_finals > 0 ? [ofFinals] : []),
    ...(cuts_unknown > 0 ? [armTable.cutsUnknown(formatCount(cuts_unknown))] : []),
  ]
  return (
    <StackedNumber
      main={formatShare(cut_share)}
      below={[
        armTable.of(formatCount(cut_replies), formatCount(replies)),
        ...(ofFinals !== null && cut_finals === 0 ? [ofFinals] : []),
      ]}
      note={warned.join(', ') || null}
    />
  )
}
