import { cx } from '@/components/cx'
import { FamilyTile } from '@/components/run/agent-look'
import { ScrollRegion } from '@/components/scroll-region'
import { familyOf } from '@/lib/families'
import { formatCount, formatProbability, UNKNOWN } from '@/lib/format'
import { text } from '@/strings/selections'

import type { GridRow, Chance } from './grid'
import { stepsOf } from './selections-grid'
import type { Role, Selections } from './use-selections'

interface Props {
  row: GridRow
  roles: readonly Role[]
  periods: Selections['periods']
}

const HEAD = 'sticky left-0 min-w-28 bg-surface-1 text-left font-normal'

/** Every probability of a place in the task, layer by layer, with how often agents were drawn. */
export function NumbersTable({ row, roles, periods }: Readonly<Props>) {
  const label = text.numbers(text.places[row.place])
  const layers = row.cells[0]?.layers ?? []
  return (
    <ScrollRegion label={label} className="min-w-0 overflow-x-auto">
      <table className="w-full border-collapse text-xs [&_td]:min-w-17 [&_td]:px-2 [&_td]:py-1 [&_th]:px-2 [&_th]:py-1">
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr className="border-b border-line text-ink-3">
            <th scope="col" className={HEAD}>
              {text.agent}
            </th>
            {periods.map((period, place) => (
              <th key={period.first_step} scope="col" className="text-left font-normal">
                {text.periods[place]} <span className="sr-only">{stepsOf(period)}</span>
              </th>
            ))}
          </tr>
        </thead>
        {layers.map(({ layer }, index) => (
          <tbody key={layer}>
            <tr className="border-b border-line bg-surface-2">
              <th scope="rowgroup" className={cx(HEAD, 'bg-surface-2 font-medium!')}>
                {text.layer(layer)}
                <span className="block font-normal text-ink-3">{text.drawn}</span>
              </th>
              {row.cells.map(({ layers: all }, period) => (
                <td key={period} className="align-bottom text-ink-2">
                  {formatCount(all[index]?.count ?? 0)}
                </td>
              ))}
            </tr>
            {roles.map((role) => (
              <tr key={role.key} className="border-b border-line">
                <th scope="row" className={HEAD}>
                  <span className="flex items-center gap-1.5">
                    <FamilyTile family={role.family} size={18} />
                    <span className="font-medium wrap-anywhere">{role.name}</span>
                  </span>
                </th>
                {row.cells.map(({ layers: all }, period) => (
                  <td key={period}>
                    <Probability
                      of={all[index]?.candidates.find((each) => each.role.key === role.key)}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </ScrollRegion>
  )
}

function Probability({ of: chance }: Readonly<{ of: Chance | undefined }>) {
  if (!chance) return UNKNOWN
  const { role, probability, isTop } = chance
  return (
    <span className="flex flex-col gap-0.5">
      <span className={isTop ? 'font-bold' : 'text-ink-2'}>{formatProbability(probability)}</span>
      <span aria-hidden className="h-1 overflow-hidden rounded-full bg-surface-3">
        <span
          className="block h-full rounded-full"
          style={{
            width: `${probability * 100}%`,
            backgroundColor: familyOf(role.family).color,
          }}
        />
      </span>
    </span>
  )
}
