import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { Plus, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { ButtonLink } from '@/components/button-link'
import { Cell, MadeCell, type Made } from '@/components/cells'
import { cx } from '@/components/cx'
import { EmptyState } from '@/components/empty-state'
import { Listing, NoMatch } from '@/components/listing'
import { useMe } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { jobs } from '@/strings/jobs'

interface ListProps<Row> {
  list: UseInfiniteQueryResult<InfiniteData<{ readonly results: readonly Row[] }>>
  filters: { readonly isFiltered: boolean; readonly clear: () => void }
  words: Readonly<Record<'emptyTitle' | 'emptyBody' | 'emptyAction' | 'noMatchTitle', string>>
  label: string
  icon: LucideIcon
  /** Where one is started. */
  to: string
  head: ReactNode
  row: (row: Row) => ReactNode
}

/** Trainings or evaluations, page after page. */
export function JobList<Row>(props: Readonly<ListProps<Row>>) {
  const { list, filters, words, label, icon, to, head, row } = props
  const mayRun = useMe()?.permissions.run ?? false
  const rows = list.data?.pages.flatMap(({ results }) => results) ?? []
  const start = (
    <ButtonLink to={to} variant="primary">
      {words.emptyAction}
    </ButtonLink>
  )
  return (
    <Listing
      list={list}
      isEmpty={rows.length === 0}
      none={
        filters.isFiltered ? (
          <NoMatch title={words.noMatchTitle} clear={jobs.clear} onClear={filters.clear}>
            {jobs.noMatchBody}
          </NoMatch>
        ) : (
          <EmptyState icon={icon} title={words.emptyTitle} action={mayRun ? start : null}>
            {words.emptyBody} {mayRun ? '' : jobs.emptyViewer}
          </EmptyState>
        )
      }
      shown={list.hasNextPage ? jobs.shown(formatCount(rows.length)) : null}
      more={jobs.more}
    >
      <div role="table" aria-label={label}>
        {head}
        <div role="rowgroup">{rows.map(row)}</div>
      </div>
    </Listing>
  )
}

export function NewJobLink({ to, children }: Readonly<{ to: string; children: string }>) {
  if (!useMe()?.permissions.run) return null
  return (
    <ButtonLink to={to} variant="primary" icon={Plus}>
      {children}
    </ButtonLink>
  )
}

interface HeadProps {
  /** The columns from `lg` on; below it each row is a card. */
  layout: string
  heads: readonly string[]
  /** Those of `heads` whose columns have numbers. */
  numbers?: readonly string[]
}

export const JobHead = ({ layout, heads, numbers = [] }: Readonly<HeadProps>) => (
  <div role="rowgroup">
    <div
      role="row"
      className={cx(
        'hidden items-center border-b border-line bg-surface-0 px-4 py-2 text-xs font-medium text-ink-3',
        layout,
      )}
    >
      {heads.map((head) => (
        <span key={head} role="columnheader" className={cx(numbers.includes(head) && 'text-right')}>
          {head}
        </span>
      ))}
    </div>
  </div>
)

interface RowProps {
  layout: string
  badge: ReactNode
  to: string
  job: Made & { readonly name: string }
  /** Below the name. */
  about: ReactNode
  /** The cells between name and time. */
  children: ReactNode
}

export const JobRow = ({ layout, badge, to, job, about, children }: Readonly<RowProps>) => (
  <div
    role="row"
    className={cx(
      'relative flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0 hover:bg-surface-2',
      'has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-accent',
      layout,
    )}
  >
    <Cell>{badge}</Cell>
    <Cell className="w-full lg:w-auto">
      <Link
        to={to}
        title={job.name}
        className="line-clamp-2 font-medium outline-none after:absolute after:inset-0"
      >
        {job.name}
      </Link>
      <span className="block text-xs text-ink-3">{about}</span>
    </Cell>
    {children}
    <MadeCell row={job} />
  </div>
)
