import { useQuery } from '@tanstack/react-query'

import { AgentCurves } from '@/components/agents/agent-curves'
import { ErrorPanel } from '@/components/error-panel'
import { Select } from '@/components/select'
import { WorkingBlock } from '@/components/working'
import { curvesQuery } from '@/lib/api/agents'
import { toApiError } from '@/lib/api/errors'
import { formatCount } from '@/lib/format'
import { useListFilters } from '@/lib/use-list-filters'
import { useChoiceParam } from '@/lib/use-param'

import { text } from '@/strings/agents'
import { AgentFilters } from './agent-filters'
import { FILTERS } from './use-agents'

const { curves: words } = text
const FIRST = ['-count', '-reward', 'reward', '-cost'] as const

/** What was learned of the agents that come first, over time. */
export function CurvesView() {
  const { filters } = useListFilters(FILTERS)
  const [first, setFirst] = useChoiceParam('first', FIRST)
  const { pool, role, endpoint } = filters
  const found = useQuery(
    curvesQuery({
      sort: first,
      ...(pool ? { pool } : {}),
      ...(role ? { role } : {}),
      ...(endpoint ? { endpoint } : {}),
    }),
  )
  const curves = found.data ?? []
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
        <AgentFilters />
        <Select
          label={text.sort}
          labelHidden
          className="sm:w-48"
          options={FIRST.map((key) => ({ key, label: text.orders[key] }))}
          value={first}
          onChange={setFirst}
        />
      </div>
      {found.isPending ? <WorkingBlock /> : null}
      {found.isError ? (
        <ErrorPanel problem={toApiError(found.error)} onRetry={() => void found.refetch()} />
      ) : null}
      {found.data ? (
        <section className="relative overflow-hidden rounded-lg border border-line bg-surface-1">
          <h2 className="sr-only">{text.views.learned}</h2>
          {curves.length === 0 ? (
            <p className="max-w-prose px-4 py-8 text-ink-2">{words.none}</p>
          ) : (
            <>
              <p className="px-4 pt-3 text-xs text-ink-3">
                {words.shown(formatCount(curves.length))}
              </p>
              <AgentCurves curves={curves} over="time" />
            </>
          )}
        </section>
      ) : null}
    </div>
  )
}
