import { FAMILY_ICONS } from '@/components/family-mark'
import { sectorsOf, SIZE, type Sector } from '@/components/rings'
import { familyOf } from '@/lib/families'
import { formatProbability } from '@/lib/format'
import { text } from '@/strings/selections'

import type { Chance, LayerOf } from './grid'

const ICON = 14
/** Pixels that an icon needs to be told from the next sector. */
const ROOM = 18

/** A ring for each layer, a sector for each agent (Figure 7). The table beside it has the numbers. */
export function SmallRings({ layers }: Readonly<{ layers: readonly LayerOf[] }>) {
  const sectors = sectorsOf(layers)
  // The outline of the likeliest lies over its neighbours.
  const drawn = [...sectors].sort((a, b) => Number(a.candidate.isTop) - Number(b.candidate.isTop))
  return (
    <svg aria-hidden viewBox={`0 0 ${SIZE} ${SIZE}`} className="w-full max-w-44">
      {drawn.map((sector) => (
        <SectorView key={`${sector.layer} ${sector.candidate.role.key}`} sector={sector} />
      ))}
    </svg>
  )
}

function SectorView({ sector }: Readonly<{ sector: Sector<Chance> }>) {
  const { layer, path, middle, room } = sector
  const { role, probability, isTop } = sector.candidate
  const family = familyOf(role.family)
  const Icon = FAMILY_ICONS[family.key]
  return (
    <g>
      <title>{text.sector(role.name, layer, formatProbability(probability))}</title>
      {/* Between the outline and a dark neighbour. */}
      {isTop ? <path d={path} fill="none" stroke="var(--surface-1)" strokeWidth={8} /> : null}
      <path
        d={path}
        fill={family.color}
        stroke={isTop ? 'var(--ink)' : 'var(--surface-1)'}
        strokeWidth={isTop ? 3.5 : 1.5}
        strokeLinejoin="round"
      />
      {room > ROOM ? (
        <Icon
          x={middle.x - ICON / 2}
          y={middle.y - ICON / 2}
          size={ICON}
          color="var(--surface-1)"
          pointerEvents="none"
        />
      ) : null}
    </g>
  )
}
