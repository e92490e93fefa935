import { Rows3, SearchX } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { EmptyState } from '@/components/empty-state'
import { ErrorPanel } from '@/components/error-panel'
import { Page } from '@/components/page'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { formatCount } from '@/lib/format'
import { strings } from '@/lib/strings'
import { useTitle } from '@/lib/use-title'

import { FilterBar } from './filter-bar'
import { useFilters } from './filters'
import { RunTable } from './run-table'
import { useRuns } from './use-runs'

export function RunsPage() {
  useTitle(strings.runs.title)
  const { filters, change, clear, isFiltered } = useFilters()
  const runs = useRuns(filters)
  const panel = 'overflow-hidden rounded-lg border border-line bg-surface-1'
  return (
    <Page title={strings.runs.title}>
      <FilterBar filters={filters} change={change} clear={clear} isFiltered={isFiltered} />
      {runs.isError ? (
        <ErrorPanel problem={toApiError(runs.error)} onRetry={() => void runs.refetch()} />
      ) : null}
      {runs.isPending ? <WorkingBlock /> : null}
      {runs.isSuccess && runs.rows.length === 0 ? (
        <div className={panel}>{isFiltered ? <NoMatch clear={clear} /> : <NoRuns />}</div>
      ) : null}
      {runs.rows.length > 0 ? (
        <>
          <div className={panel}>
            <RunTable rows={runs.rows} isComplete={!runs.hasNextPage} />
          </div>
          <footer className="flex items-center justify-between gap-4 text-xs text-ink-3">
            {runs.hasNextPage
              ? strings.runs.shown(formatCount(runs.rows.length))
              : strings.runs.end(formatCount(runs.rows.length))}
            {runs.hasNextPage ? (
              <Button isPending={runs.isFetchingNextPage} onPress={() => void runs.fetchNextPage()}>
                {strings.runs.more}
              </Button>
            ) : null}
          </footer>
        </>
      ) : null}
    </Page>
  )
}

function NoRuns() {
  return (
    <EmptyState
      icon={<Rows3 size={28} aria-hidden />}
      title={strings.runs.emptyTitle}
      action={
        <Link to="/" className={buttonClass({ variant: 'primary' })}>
          {strings.runs.emptyAction}
        </Link>
      }
    >
      {strings.runs.emptyBody}
    </EmptyState>
  )
}

function NoMatch({ clear }: Readonly<{ clear: () => void }>) {
  return (
    <EmptyState
      icon={<SearchX size={28} aria-hidden />}
      title={strings.runs.noMatchTitle}
      action={<Button onPress={clear}>{strings.runs.clearFilters}</Button>}
    >
      {strings.runs.noMatchBody}
    </EmptyState>
  )
}
