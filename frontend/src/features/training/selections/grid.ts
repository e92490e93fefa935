/** How likely each role was, as a grid: places in the task down, thirds of the training across. */
import type { Ring } from '@/components/rings'

import type { Cell, Place, Role, Selections } from './use-selections'

export const PLACES = ['first', 'middle', 'last'] as const satisfies readonly Place[]

export interface Chance {
  readonly role: Role
  readonly probability: number
  /** The likeliest of its layer. */
  readonly isTop: boolean
}

export interface LayerOf extends Ring<Chance> {
  /** How often agents were drawn for it. */
  readonly count: number
}

export interface GridCell {
  /** All layers of the training; one that was never drawn here has no candidates. */
  readonly layers: readonly LayerOf[]
  /** How many stages it holds. */
  readonly stages: number
}

export interface GridRow {
  readonly place: Place
  /** One for each period. */
  readonly cells: readonly GridCell[]
}

/** Only places that some task has. */
export function gridOf({ roles, periods, cells }: Selections): readonly GridRow[] {
  const layers = [...new Set(cells.map(({ layer }) => layer))].sort((a, b) => a - b)
  return PLACES.flatMap((place) => {
    const here = cells.filter((cell) => cell.place === place)
    if (here.length === 0) return []
    const row = periods.map((_, period) =>
      cellOf(
        here.filter((cell) => cell.period === period),
        layers,
        roles,
      ),
    )
    return [{ place, cells: row }]
  })
}

function cellOf(
  here: readonly Cell[],
  layers: readonly number[],
  roles: readonly Role[],
): GridCell {
  const found = layers.map((layer) => {
    const cell = here.find((each) => each.layer === layer)
    return { layer, count: cell?.count ?? 0, candidates: cell ? chancesOf(cell, roles) : [] }
  })
  return { layers: found, stages: found[0]?.count ?? 0 }
}

/** In the pool's order. A role that the pool no longer has is left out. */
function chancesOf({ probabilities }: Cell, roles: readonly Role[]): readonly Chance[] {
  const known = roles.flatMap((role) => {
    const probability = probabilities[role.key]
    return probability === undefined ? [] : [{ role, probability }]
  })
  const most = Math.max(...known.map(({ probability }) => probability))
  const top = known.find(({ probability }) => probability === most)
  return known.map((each) => ({ ...each, isTop: each === top }))
}

export const topOf = ({ candidates }: LayerOf): Chance | undefined =>
  candidates.find(({ isTop }) => isTop)
