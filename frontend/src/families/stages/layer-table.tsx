import { cx } from '@/components/cx'
import { FamilyTile } from '@/components/run/agent-look'
import { ScrollRegion } from '@/components/scroll-region'
import type { LayerSampled, RoleProbability } from '@/generated/events'
import { familyOf } from '@/lib/families'
import { formatProbability, UNKNOWN } from '@/lib/format'

import { isMarked, type Cell } from './layer-rings'
import { massOf } from './stages'
import { useFamilyOfRole } from './use-stages'
import { text } from './words'

const { choice: words } = text

interface Props {
  layers: readonly LayerSampled[]
  marked: Cell | null
  onMark: (cell: Cell | null) => void
}

/** Every agent of the pool by layer: how likely it was, and its place among the chosen ones. */
export function LayerTable({ layers, marked, onMark }: Readonly<Props>) {
  const familyOfRole = useFamilyOfRole()
  const pool = new Map(layers.flatMap((layer) => layer.candidates.map((c) => [c.role, c.name])))
  return (
    <ScrollRegion label={words.title} className="min-w-0 overflow-x-auto">
      <table className="w-full border-collapse text-xs [&_td]:min-w-17 [&_td]:px-2 [&_td]:py-1 [&_th]:px-2 [&_th]:py-1 [&_th]:text-left">
        <thead>
          <tr className="border-b border-line text-ink-3">
            <th scope="col" className={HEAD}>
              {words.agent}
            </th>
            {layers.map(({ layer }) => (
              <th key={layer} scope="col" className="font-normal whitespace-nowrap">
                {text.layer(layer)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...pool].map(([role, name]) => (
            <tr key={role} className="border-b border-line">
              <th scope="row" className={HEAD}>
                <span className="flex items-center gap-1.5">
                  <FamilyTile family={familyOfRole(role)} size={18} />
                  <span className="font-medium wrap-anywhere">{name}</span>
                </span>
              </th>
              {layers.map(({ layer, candidates }) => (
                <td
                  key={layer}
                  onPointerEnter={() => onMark({ layer, role })}
                  onPointerLeave={() => onMark(null)}
                  className={cx(isMarked(marked, layer, role) && 'bg-accent-soft')}
                >
                  <Probability
                    of={candidates.find((each) => each.role === role)}
                    color={familyOf(familyOfRole(role)).color}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="text-ink-2">
            <th scope="row" className={cx(HEAD, 'font-normal')}>
              {words.together}
            </th>
            {layers.map((layer) => (
              <td key={layer.layer}>{formatProbability(massOf(layer))}</td>
            ))}
          </tr>
        </tfoot>
      </table>
    </ScrollRegion>
  )
}

const HEAD = 'sticky left-0 min-w-28 bg-surface-1 font-normal'

function Probability({
  of: candidate,
  color,
}: Readonly<{ of: RoleProbability | undefined; color: string }>) {
  if (!candidate) return UNKNOWN
  const { probability, rank } = candidate
  return (
    <span className="flex flex-col gap-0.5">
      <span
        className={cx('flex justify-between gap-1', rank === null ? 'text-ink-2' : 'font-bold')}
      >
        {formatProbability(probability)}
        {rank === null ? null : (
          <span
            className="inline-grid size-4 place-items-center rounded-full bg-accent text-[0.65rem] text-accent-ink"
            title={words.rank(rank)}
          >
            <span className="sr-only">{words.rank(rank)}</span>
            <span aria-hidden>{rank}</span>
          </span>
        )}
      </span>
      <span aria-hidden className="h-1 overflow-hidden rounded-full bg-surface-3">
        <span
          className="block h-full rounded-full"
          style={{ width: `${probability * 100}%`, backgroundColor: color }}
        />
      </span>
    </span>
  )
}
