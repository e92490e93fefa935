import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Plus, Scale, SearchX } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { Checkbox } from '@/components/checkbox'
import { DelayedSearch } from '@/components/delayed-search'
import { EmptyState } from '@/components/empty-state'
import { ErrorPanel } from '@/components/error-panel'
import { FilterSelect } from '@/components/filter-select'
import { Page } from '@/components/page'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { queries, useMe } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { strings } from '@/lib/strings'
import { useSetParams } from '@/lib/use-param'
import { useTitle } from '@/lib/use-title'

import { EvaluationRow, ListHead } from './evaluation-row'
import { text } from './evaluation-strings'
import { STATUSES, useListFilters } from './filters'
import { evaluationList } from './use-evaluations'

const NO_FILTERS = { status: null, dataset: null, mine: null, q: null }

export function EvaluationsPage() {
  useTitle(text.title)
  const { filters, isFiltered } = useListFilters()
  const change = useSetParams()
  const list = useInfiniteQuery(evaluationList(filters))
  const rows = list.data?.pages.flatMap((page) => page.results) ?? []
  const panel = 'overflow-hidden rounded-lg border border-line bg-surface-1'
  return (
    <Page title={text.title} lead={text.lead} actions={<NewButton />}>
      <Filters />
      {list.isError ? (
        <ErrorPanel problem={toApiError(list.error)} onRetry={() => void list.refetch()} />
      ) : null}
      {list.isPending ? <WorkingBlock /> : null}
      {list.isSuccess && rows.length === 0 ? (
        <div className={panel}>
          {isFiltered ? <NoMatch clear={() => change(NO_FILTERS)} /> : <NoEvaluations />}
        </div>
      ) : null}
      {rows.length > 0 ? (
        <div className={panel} role="table" aria-label={text.title}>
          <ListHead />
          <div role="rowgroup">
            {rows.map((evaluation) => (
              <EvaluationRow key={evaluation.id} evaluation={evaluation} />
            ))}
          </div>
        </div>
      ) : null}
      {list.hasNextPage ? (
        <footer className="flex items-center justify-between gap-4 text-xs text-ink-3">
          {text.shown(formatCount(rows.length))}
          <Button isPending={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
            {text.more}
          </Button>
        </footer>
      ) : null}
    </Page>
  )
}

function Filters() {
  const { filters, isFiltered } = useListFilters()
  const change = useSetParams()
  const datasets = useQuery(queries.datasets).data ?? []
  return (
    <div className="grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
      <DelayedSearch
        label={text.search}
        className="col-span-2 sm:w-64"
        value={filters.q}
        onChange={(q) => change({ q })}
      />
      <FilterSelect
        any={text.anyStatus}
        label={text.columns.status}
        options={STATUSES.map((key) => ({ key, label: strings.status[key] }))}
        value={filters.status}
        onChange={(status) => change({ status })}
      />
      <FilterSelect
        any={text.anyDataset}
        label={text.form.dataset}
        options={datasets.map(({ key, name }) => ({ key, label: name || key }))}
        value={filters.dataset}
        onChange={(dataset) => change({ dataset })}
      />
      <Checkbox
        isSelected={filters.mine}
        onChange={(mine) => change({ mine: mine ? 'true' : null })}
        className="px-1"
      >
        {text.mine}
      </Checkbox>
      {isFiltered ? (
        <Button
          variant="quiet"
          size="sm"
          onPress={() => change(NO_FILTERS)}
          className="justify-self-start"
        >
          {text.clear}
        </Button>
      ) : null}
    </div>
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

function NoMatch({ clear }: Readonly<{ clear: () => void }>) {
  return (
    <EmptyState
      icon={<SearchX size={28} aria-hidden />}
      title={text.noMatchTitle}
      action={<Button onPress={clear}>{text.clear}</Button>}
    >
      {text.noMatchBody}
    </EmptyState>
  )
}
