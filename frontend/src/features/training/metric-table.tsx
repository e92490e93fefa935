import { useMemo } from 'react'

import { valueAt } from '@/components/chart/band'
import { VirtualList } from '@/components/virtual-list'
import { formatCount } from '@/lib/format'

import type { Curve } from './curve'
import { axisOf, onAxis } from './curves'
import type { Metric } from './metrics'
import { text } from '@/strings/training'
import type { Shown } from './use-overlays'

const ROW = 33

interface Props {
  shown: readonly Shown[]
  /** Of `shown`, in the same order; they grow in place, which `version` tells. */
  curves: readonly Curve[]
  version: string
  metrics: readonly Metric[]
  onPick: (step: number) => void
}

/** The numbers of the curves, the newest step first; each step opens its systems. */
export function MetricTable({ shown, curves, version, metrics, onPick }: Readonly<Props>) {
  const wanted = metrics.map(({ key }) => key).join()
  const { rows, columns } = useMemo(
    () => tableOf(shown, curves, metrics),
    // The curves are the same objects as long as they grow, the jobs change with every step.
    // oxlint-disable-next-line react/exhaustive-deps
    [version, wanted],
  )
  const widths = columns.map(({ band }) => `minmax(${band ? 13 : 7}rem, 1fr)`)
  const grid = { gridTemplateColumns: ['5rem', ...widths].join(' ') }
  return (
    <div
      role="table"
      aria-label={text.curve.tableLabel}
      aria-rowcount={rows.length + 1}
      className="overflow-x-auto"
    >
      <div className="min-w-max">
        <div
          role="row"
          aria-rowindex={1}
          className="grid gap-x-4 border-b border-line bg-surface-0 px-4 py-2 text-xs font-medium text-ink-3"
          style={grid}
        >
          <span role="columnheader">{text.curve.step}</span>
          {columns.map(({ key, head }) => (
            <span key={key} role="columnheader" className="text-right">
              {head}
            </span>
          ))}
        </div>
        <VirtualList
          rows={rows}
          rowHeight={ROW}
          keyOf={({ step }) => String(step)}
          className="max-h-[28rem]"
          render={({ step, index }, place) => (
            <div
              role="row"
              aria-rowindex={place + 2}
              className="grid items-center gap-x-4 border-b border-line px-4 py-1.5"
              style={grid}
            >
              <span role="rowheader">
                <button
                  type="button"
                  onClick={() => onPick(step)}
                  className="rounded-sm font-medium text-accent hover:underline"
                >
                  {formatCount(step)}
                </button>
              </span>
              {columns.map(({ key, format, ...column }) => (
                <span key={key} role="cell" className="text-right whitespace-nowrap">
                  {valueAt(column, index, format).join(' ')}
                </span>
              ))}
            </div>
          )}
        />
      </div>
    </div>
  )
}

function tableOf(shown: readonly Shown[], curves: readonly Curve[], metrics: readonly Metric[]) {
  const axis = axisOf(curves)
  const columns = metrics.flatMap(({ key, title, format }) =>
    curves.map((curve, place) => {
      const bounds = curve.bounds(key)
      return {
        key: `${key}/${place}`,
        head: curves.length > 1 ? `${title}, ${shown[place]?.job.name ?? ''}` : title,
        values: onAxis(axis, curve, curve.column(key)),
        band: bounds && {
          low: onAxis(axis, curve, bounds.low),
          high: onAxis(axis, curve, bounds.high),
        },
        format,
      }
    }),
  )
  return { rows: axis.map((step, index) => ({ step, index })).reverse(), columns }
}
