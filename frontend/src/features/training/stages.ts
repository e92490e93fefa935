/** Which role learns at which steps, where a training's roles take turns. */
import type { Area } from '@/components/chart/areas'
import { text } from '@/strings/sampled-designs'

import type { Curve } from './curve'

const METRIC = 'stage'
/** By the metric's value. */
const ROLES = ['designer', 'executor', 'both'] as const
/** Colours that no first line of a chart has. */
const SERIES = [6, 2, 7] as const

/** What is drawn of such a training until a person chooses: what both earn, and how their scripts do. */
export const STAGED_METRICS: readonly string[] = [
  'correct',
  ...['designer_reward', 'executor_reward'],
  ...['scripts_parse', 'scripts_run', 'scripts_right', 'shapes'],
]

const known = new WeakMap<Curve, { version: number; areas: readonly Area[] }>()

/** Neighbouring steps of the same stage as one area each; none where a training has no stages. */
export function stageAreas(curve: Curve): readonly Area[] {
  const before = known.get(curve)
  if (before?.version === curve.version) return before.areas
  const areas = readAreas(curve)
  known.set(curve, { version: curve.version, areas })
  return areas
}

function readAreas(curve: Curve): readonly Area[] {
  if (!curve.metrics.includes(METRIC)) return []
  const areas: Area[] = []
  const stages = curve.column(METRIC)
  curve.steps.forEach((step, place) => {
    const value = stages[place] ?? -1
    const role = ROLES[value]
    if (!role) return
    const last = areas.at(-1)
    const name = text.stages.short[role]
    if (last?.name === name) areas[areas.length - 1] = { ...last, to: step }
    else areas.push({ from: step, to: step, name, series: SERIES[value] ?? 0 })
  })
  return areas
}

/** The roles that learn at any of these steps, in their order. */
export const rolesOf = (areas: readonly Area[]) =>
  ROLES.flatMap((role, value) => {
    const area = areas.find(({ name }) => name === text.stages.short[role])
    return area ? [{ name: text.stages.names[role], series: SERIES[value] ?? 0 }] : []
  })
