import { Rows3 } from 'lucide-react'
import { Link } from 'react-router'

import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { EmptyState } from '@/components/empty-state'
import { Listing, NoMatch } from '@/components/listing'
import { Page } from '@/components/page'
import { formatCount } from '@/lib/format'
import { strings } from '@/strings/studio'
import { useListFilters } from '@/lib/use-list-filters'
import { useTitle } from '@/lib/use-title'

import { BulkBar } from './bulk-bar'
import { DownloadAll } from './download-all'
import { FilterBar } from './filter-bar'
import { FILTERS } from './filters'
import { RunTable } from './run-table'
import { useSelection } from './selection'
import { useRuns } from './use-runs'

export function RunsPage() {
  useTitle(strings.runs.title)
  const list = useListFilters(FILTERS)
  const runs = useRuns(list.filters)
  const selection = useSelection(runs.rows)
  return (
    <Page
      title={strings.runs.title}
      actions={runs.rows.length > 0 ? <DownloadAll filters={list.filters} /> : null}
    >
      <FilterBar />
      <Listing
        list={runs}
        isEmpty={runs.rows.length === 0}
        none={
          list.isFiltered ? (
            <NothingFits
              clear={list.clear}
              onAnswers={
                list.filters.answers === null ? () => list.change({ answers: 'true' }) : null
              }
            />
          ) : (
            <NoRuns />
          )
        }
        shown={(runs.hasNextPage ? strings.runs.shown : strings.runs.end)(
          formatCount(runs.rows.length),
        )}
        more={strings.runs.more}
      >
        <RunTable rows={runs.rows} isComplete={!runs.hasNextPage} selection={selection} />
      </Listing>
      <BulkBar selection={selection} />
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

interface NothingFitsProps {
  clear: () => void
  /** Looks among the answers of evaluations, too; null where that was done. */
  onAnswers: (() => void) | null
}

function NothingFits({ clear, onAnswers }: Readonly<NothingFitsProps>) {
  return (
    <NoMatch
      title={strings.runs.noMatchTitle}
      clear={strings.runs.clearFilters}
      onClear={clear}
      more={onAnswers ? <Button onPress={onAnswers}>{strings.runs.withAnswers}</Button> : null}
    >
      {onAnswers ? strings.runs.noMatchOfPeople : strings.runs.noMatchBody}
    </NoMatch>
  )
}
