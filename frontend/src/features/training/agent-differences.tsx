import { queryOptions, useQuery } from '@tanstack/react-query'

import { Badge } from '@/components/badge'
import { DataTable, type Column } from '@/components/data-table'
import { QueryError } from '@/components/query-state'
import { WorkingBlock } from '@/components/working'
import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { formatCount, formatMetric, formatSigned } from '@/lib/format'

import { text } from '@/strings/training'

const { agents: words } = text

type Row = components['schemas']['Difference']

interface Props {
  left: string
  /** null: the live agents. */
  right: string | null
  pool: string
}

export const differencesQuery = ({ left, right, pool }: Props) =>
  queryOptions({
    queryKey: ['agents', 'compare', left, right, pool],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/agents/compare', {
          params: { query: { left, pool, ...(right === null ? {} : { right }) } },
          signal,
        }),
      ),
  })

/** What two checkpoints of ReSo, or one and the live agents, know of each agent. */
export function AgentDifferences(props: Readonly<Props>) {
  const found = useQuery(differencesQuery(props))
  if (found.isPending) return <WorkingBlock />
  if (!found.data) return <QueryError of={found} />
  const { rows, count, only_left, only_right } = found.data
  const [left, right] = [props.left, props.right ?? words.live]
  return (
    <section className="flex flex-col gap-1 pb-2">
      <h3 className="px-4 text-xs font-semibold text-ink-2">{words.title}</h3>
      <p className="px-4 pb-1 text-xs text-ink-3">
        {words.told(formatCount(count), formatCount(only_left), formatCount(only_right))}
        {rows.length < count ? ` ${words.first(formatCount(rows.length))}` : ''}
      </p>
      <div className="max-h-96 overflow-y-auto border-t border-line">
        <DataTable
          label={words.title}
          rows={rows}
          keyOf={({ role_key, endpoint }) => `${role_key}/${endpoint}`}
          columns={columnsOf(left, right)}
        />
      </div>
    </section>
  )
}

const columnsOf = (left: string, right: string): Column<Row>[] => [
  {
    key: 'agent',
    head: words.agent,
    isRowHead: true,
    className: 'min-w-40',
    render: (row) => (
      <>
        <span className="flex flex-wrap items-center gap-1.5">
          {row.role_name || row.role_key}
          {row.right === null ? <Badge>{words.only(left)}</Badge> : null}
          {row.left === null ? <Badge>{words.only(right)}</Badge> : null}
        </span>
        <span className="block text-xs font-normal text-ink-3">
          {row.endpoint_name || row.endpoint}
        </span>
      </>
    ),
  },
  ...(['reward', 'cost', 'count'] as const).map((what): Column<Row> => {
    const format = what === 'count' ? formatCount : formatMetric
    return {
      key: what,
      head: words.of[what],
      title: words.sides(left, right),
      numeric: true,
      render: (row) => (
        <>
          {format(row.left?.[what])} → {format(row.right?.[what])}
          <span className="block text-xs text-ink-3">
            {row.change === null ? '' : formatSigned(row.change[what])}
          </span>
        </>
      ),
    }
  }),
]
