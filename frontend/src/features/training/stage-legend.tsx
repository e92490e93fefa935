import type { Area } from '@/components/chart/areas'
import { seriesLook } from '@/lib/series'
import { text } from '@/strings/sampled-designs'

import { rolesOf } from './stages'

/** What the areas behind the curves mean. */
export function StageLegend({ areas }: Readonly<{ areas: readonly Area[] }>) {
  const roles = rolesOf(areas)
  if (roles.length === 0) return null
  return (
    <ul
      aria-label={text.stages.label}
      className="flex flex-wrap gap-x-5 gap-y-1 px-4 pt-2.5 text-xs text-ink-2"
    >
      {roles.map(({ name, series }) => (
        <li key={name} className="inline-flex items-center gap-2">
          <span
            aria-hidden
            className="h-3 w-4 rounded-sm border border-line-strong"
            style={{
              backgroundColor: `color-mix(in srgb, ${seriesLook(series).color} 22%, transparent)`,
            }}
          />
          {name}
        </li>
      ))}
    </ul>
  )
}
