import { VirtualList } from '@/components/virtual-list'
import { formatCount } from '@/lib/format'

import { aligned, type Steps } from './curves'
import { metricFormat, metricName } from './metric-name'
import { text } from './training-strings'
import type { Training } from './use-training'

const ROW = 33

interface Props {
  jobs: readonly Training[]
  steps: readonly Steps[]
  metrics: readonly string[]
  onPick: (step: number) => void
}

/** The numbers of the curves, the newest step first; each step opens its systems. */
export function MetricTable({ jobs, steps, metrics, onPick }: Readonly<Props>) {
  const columns = metrics.flatMap((metric) =>
    aligned(steps, metric).rows.map((values, index) => ({
      key: `${metric}/${index}`,
      head:
        jobs.length > 1 ? `${metricName(metric)}, ${jobs[index]?.name ?? ''}` : metricName(metric),
      values,
      format: metricFormat(metric),
    })),
  )
  const axis = aligned(steps, metrics[0] ?? '').steps
  const rows = axis.map((step, index) => ({ step, index })).reverse()
  const grid = { gridTemplateColumns: `5rem repeat(${columns.length}, minmax(7rem, 1fr))` }
  return (
    <div role="table" aria-label={text.curve.tableLabel} className="overflow-x-auto">
      <div className="min-w-max">
        <div
          role="row"
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
          render={({ step, index }) => (
            <div
              role="row"
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
              {columns.map(({ key, values, format }) => (
                <span key={key} role="cell" className="text-right">
                  {format(values[index])}
                </span>
              ))}
            </div>
          )}
        />
      </div>
    </div>
  )
}
