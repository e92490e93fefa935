import { FAMILY_ICONS } from '@/components/family-mark'
import type { LayerSampled } from '@/generated/events'
import { familyOf } from '@/lib/families'
import { formatProbability } from '@/lib/format'

import { sectorsOf, SIZE, type Sector } from '@/components/rings'
import { useFamilyOfRole } from './use-stages'
import { text } from './words'

export interface Cell {
  readonly layer: number
  readonly role: string
}

interface Props {
  layers: readonly LayerSampled[]
  /** What the pointer is on, here or in the table. */
  marked: Cell | null
  onMark: (cell: Cell | null) => void
}

export const isMarked = (marked: Cell | null, layer: number, role: string): boolean =>
  marked?.layer === layer && marked.role === role

/** A ring for each layer, a sector for each agent, as wide as it was likely (the paper's Figures 5 and 7). */
export function LayerRings({ layers, marked, onMark }: Readonly<Props>) {
  const sectors = sectorsOf(layers)
  const told = sectors.find(({ layer, candidate }) => isMarked(marked, layer, candidate.role))
  return (
    <figure className="flex w-58 flex-col gap-1">
      <svg
        role="img"
        aria-label={text.choice.rings(layers.length)}
        viewBox={`0 0 ${SIZE} ${SIZE}`}
        className="w-full"
        onPointerLeave={() => onMark(null)}
      >
        {sectors.map((sector) => (
          <SectorView
            key={`${sector.layer} ${sector.candidate.role}`}
            sector={sector}
            isMarked={sector === told}
            onMark={onMark}
          />
        ))}
      </svg>
      <figcaption className="h-8 text-center text-xs text-ink-2">
        {told
          ? text.choice.sector(
              told.candidate.name,
              told.layer,
              formatProbability(told.candidate.probability),
            )
          : layers.length > 1
            ? `${text.choice.inner}. ${text.choice.legend}`
            : text.choice.legend}
      </figcaption>
    </figure>
  )
}

interface SectorProps {
  sector: Sector
  isMarked: boolean
  onMark: (cell: Cell) => void
}

function SectorView({ sector, isMarked: isTold, onMark }: Readonly<SectorProps>) {
  const { layer, candidate, path, middle, room } = sector
  const family = familyOf(useFamilyOfRole()(candidate.role))
  const Icon = FAMILY_ICONS[family.key]
  const isChosen = candidate.rank !== null
  return (
    <g onPointerEnter={() => onMark({ layer, role: candidate.role })}>
      <path
        d={path}
        fill={isChosen ? family.color : family.line}
        stroke={isTold ? 'var(--ink)' : 'var(--surface-1)'}
        strokeWidth={isTold ? 2 : 1.5}
      />
      {isChosen && room > 9 ? (
        <text
          x={middle.x}
          y={middle.y}
          textAnchor="middle"
          dominantBaseline="central"
          fontSize={Math.min(12, room)}
          fontWeight={700}
          fill="var(--surface-1)"
          pointerEvents="none"
        >
          {candidate.rank}
        </text>
      ) : null}
      {!isChosen && room > 14 ? (
        <Icon x={middle.x - 6} y={middle.y - 6} size={12} color="var(--ink)" pointerEvents="none" />
      ) : null}
    </g>
  )
}
