import { useQueries } from '@tanstack/react-query'
import { Download, Rows3 } from 'lucide-react'

import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { ButtonLink } from '@/components/button-link'
import { EmptyState } from '@/components/empty-state'
import { FilterSelect } from '@/components/filter-select'
import { ListFilters } from '@/components/list-filters'
import { Listing, NoMatch } from '@/components/listing'
import { named } from '@/components/options'
import { Page } from '@/components/page'
import { queries } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { useListFilters } from '@/lib/use-list-filters'
import { useTitle } from '@/lib/use-title'
import { strings } from '@/strings/studio'

import { BulkBar } from './bulk-bar'
import { FILTERS, exportAddress, type RunFilters } from './filters'
import { MoreFilters } from './more-filters'
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
      icon={Rows3}
      title={strings.runs.emptyTitle}
      action={
        <ButtonLink to="/" variant="primary">
          {strings.runs.emptyAction}
        </ButtonLink>
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

const words = strings.runs.bulk

/** Everything that the filters let through, shown or not. */
function DownloadAll({ filters }: Readonly<{ filters: RunFilters }>) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-3 sm:flex-row-reverse">
      <a
        href={exportAddress(filters)}
        download
        aria-describedby="download-all-help"
        className={buttonClass({ size: 'sm' })}
      >
        <Download size={14} aria-hidden />
        {words.downloadAll}
      </a>
      <span id="download-all-help">{words.downloadHelp}</span>
    </div>
  )
}

function FilterBar() {
  const list = useListFilters(FILTERS)
  const { filters, change } = list
  const [methods, endpoints, pools] = useQueries({
    queries: [queries.methods, queries.endpoints, queries.pools],
  })
  return (
    <ListFilters
      page="runs"
      texts={{
        ...strings.runs,
        status: strings.runs.columns.status,
        clear: strings.runs.clearFilters,
      }}
      list={list}
    >
      <FilterSelect
        any={strings.runs.anyMethod}
        label={strings.ask.method}
        options={named(methods.data)}
        value={filters.method}
        onChange={(method) => change({ method })}
      />
      <FilterSelect
        any={strings.runs.anyEndpoint}
        label={strings.ask.endpoint}
        options={named(endpoints.data)}
        value={filters.endpoint}
        onChange={(endpoint) => change({ endpoint })}
      />
      <FilterSelect
        any={strings.runs.anyPool}
        label={strings.ask.pool}
        options={named(pools.data)}
        value={filters.pool}
        onChange={(pool) => change({ pool })}
      />
      <MoreFilters filters={filters} onChange={change} />
    </ListFilters>
  )
}
