import { formatCount, formatProbability } from '@/lib/format'
import { text } from '@/strings/selections'

import { topOf, type GridCell, type GridRow } from './grid'
import { SmallRings } from './small-rings'
import type { Selections } from './use-selections'

interface Props {
  rows: readonly GridRow[]
  periods: Selections['periods']
}

/** Thirds of the training across, places in the task down. */
export const SelectionsGrid = ({ rows, periods }: Readonly<Props>) => (
  <table className="w-full table-fixed border-collapse text-center text-xs">
    <caption className="sr-only">{text.grid}</caption>
    <thead>
      <tr>
        {periods.map((period, place) => (
          <th key={period.first_step} scope="col" className="px-1 pb-1 font-normal">
            <span className="block text-sm font-semibold">{text.periods[place]}</span>
            <span className="block text-ink-3">{stepsOf(period)}</span>
          </th>
        ))}
      </tr>
    </thead>
    {rows.map(({ place, cells }) => (
      <tbody key={place}>
        <tr>
          <th
            scope="rowgroup"
            colSpan={cells.length}
            title={text.placeHelp[place]}
            className="border-t border-line pt-2 text-left font-medium text-ink-2"
          >
            {text.places[place]}
          </th>
        </tr>
        <tr>
          {cells.map((cell, period) => (
            <td key={period} className="px-1 pt-1 pb-3 align-top">
              <CellView cell={cell} />
            </td>
          ))}
        </tr>
      </tbody>
    ))}
  </table>
)

export const stepsOf = (period: Selections['periods'][number]): string =>
  text.steps(formatCount(period.first_step), formatCount(period.last_step))

function CellView({ cell: { layers, stages } }: Readonly<{ cell: GridCell }>) {
  if (stages === 0) return <span className="text-ink-3">{text.nothing}</span>
  const likeliest = layers.flatMap((layer) => {
    const top = topOf(layer)
    const told = top && formatProbability(top.probability)
    return told ? [text.likeliest(layer.layer, top.role.name, told)] : []
  })
  return (
    <span className="flex flex-col items-center gap-1">
      <SmallRings layers={layers} />
      <span className="text-ink-2">{text.stages(stages, formatCount(stages))}</span>
      <span className="sr-only">{text.told(likeliest)}</span>
    </span>
  )
}
