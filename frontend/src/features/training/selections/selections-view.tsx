import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

import { Card } from '@/components/card'
import { Disclosure } from '@/components/disclosure'
import { QueryError } from '@/components/query-state'
import { FamilyTile } from '@/components/run/agent-look'
import { WorkingBlock } from '@/components/working'
import type { Training } from '@/features/training/use-training'
import { text } from '@/strings/selections'

import { gridOf } from './grid'
import { NumbersTable } from './numbers-table'
import { SelectionsGrid } from './selections-grid'
import { selectionsQuery, type Role, type Selections } from './use-selections'

/** How likely each agent was, early, in the middle and late; asked for again as the training goes on. */
export function SelectionsView({ job }: Readonly<{ job: Training }>) {
  const found = useQuery(selectionsQuery(job.id, job.step))
  if (found.isPending) return <WorkingBlock />
  if (!found.data) return <QueryError of={found} />
  return (
    <Card title={text.title}>
      {found.data.cells.length === 0 ? (
        <p className="py-4 text-ink-2">{text.none}</p>
      ) : (
        <Told selections={found.data} />
      )}
    </Card>
  )
}

function Told({ selections }: Readonly<{ selections: Selections }>) {
  const { roles, periods } = selections
  const rows = useMemo(() => gridOf(selections), [selections])
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-prose text-xs text-ink-2">
        <span title={text.source}>{text.help}</span> {text.rings}
      </p>
      <Legend roles={roles} />
      <div className="grid items-start gap-x-8 gap-y-4 xl:grid-cols-2">
        <SelectionsGrid rows={rows} periods={periods} />
        <div className="flex min-w-0 flex-col gap-1">
          {rows.map((row, index) => (
            <Disclosure
              key={row.place}
              title={text.numbers(text.places[row.place])}
              defaultOpen={index === 0}
            >
              <NumbersTable row={row} roles={roles} periods={periods} />
            </Disclosure>
          ))}
        </div>
      </div>
    </div>
  )
}

const Legend = ({ roles }: Readonly<{ roles: readonly Role[] }>) => (
  <ul aria-label={text.legend} className="flex flex-wrap gap-x-4 gap-y-1.5 text-xs">
    {roles.map(({ key, name, family }) => (
      <li key={key} className="inline-flex items-center gap-1.5">
        <FamilyTile family={family} size={18} />
        {name}
      </li>
    ))}
  </ul>
)
