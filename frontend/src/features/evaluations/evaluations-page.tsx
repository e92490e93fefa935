import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Plus, Scale } from 'lucide-react'
import { Link } from 'react-router'

import { buttonClass } from '@/components/button-class'
import { EmptyState } from '@/components/empty-state'
import { FilterSelect } from '@/components/filter-select'
import { ListFilters } from '@/components/list-filters'
import { Listing, NoMatch } from '@/components/listing'
import { Page } from '@/components/page'
import { queries, useMe } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { useListFilters } from '@/lib/use-list-filters'
import { useTitle } from '@/lib/use-title'

import { EvaluationRow, ListHead } from './evaluation-row'
import { text } from '@/strings/evaluations'
import { FILTERS } from './filters'
import { evaluationList } from './use-evaluations'

export function EvaluationsPage() {
  useTitle(text.title)
  const { filters, isFiltered, clear } = useListFilters(FILTERS)
  const list = useInfiniteQuery(evaluationList(filters))
  const rows = list.data?.pages.flatMap((page) => page.results) ?? []
  return (
    <Page title={text.title} lead={text.lead} actions={<NewButton />}>
      <Filters />
      <Listing
        list={list}
        isEmpty={rows.length === 0}
        none={isFiltered ? <NothingFits clear={clear} /> : <NoEvaluations />}
        shown={list.hasNextPage ? text.shown(formatCount(rows.length)) : null}
        more={text.more}
      >
        <div role="table" aria-label={text.title}>
          <ListHead />
          <div role="rowgroup">
            {rows.map((evaluation) => (
              <EvaluationRow key={evaluation.id} evaluation={evaluation} />
            ))}
          </div>
        </div>
      </Listing>
    </Page>
  )
}

function Filters() {
  const list = useListFilters(FILTERS)
  const datasets = useQuery(queries.datasets).data ?? []
  return (
    <ListFilters page="evaluations" texts={{ ...text, status: text.columns.status }} list={list}>
      <FilterSelect
        any={text.anyDataset}
        label={text.form.dataset}
        options={datasets.map(({ key, name }) => ({ key, label: name || key }))}
        value={list.filters.dataset}
        onChange={(dataset) => list.change({ dataset })}
      />
    </ListFilters>
  )
}

function NewButton() {
  if (!useMe()?.permissions.run) return null
  return (
    <Link to="/evaluations/new" className={buttonClass({ variant: 'primary' })}>
      <Plus size={14} aria-hidden />
      {text.new}
    </Link>
  )
}

function NoEvaluations() {
  const mayRun = useMe()?.permissions.run ?? false
  return (
    <EmptyState
      icon={<Scale size={28} aria-hidden />}
      title={text.emptyTitle}
      action={
        mayRun ? (
          <Link to="/evaluations/new" className={buttonClass({ variant: 'primary' })}>
            {text.emptyAction}
          </Link>
        ) : null
      }
    >
      {text.emptyBody} {mayRun ? '' : text.emptyViewer}
    </EmptyState>
  )
}

function NothingFits({ clear }: Readonly<{ clear: () => void }>) {
  return (
    <NoMatch title={text.noMatchTitle} clear={text.clear} onClear={clear}>
      {text.noMatchBody}
    </NoMatch>
  )
}
