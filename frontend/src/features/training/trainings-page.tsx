import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ChartNoAxesCombined, Plus, SearchX } from 'lucide-react'
import { useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'

import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { Checkbox } from '@/components/checkbox'
import { DelayedSearch } from '@/components/delayed-search'
import { EmptyState } from '@/components/empty-state'
import { ErrorPanel } from '@/components/error-panel'
import { FilterSelect } from '@/components/filter-select'
import { Page } from '@/components/page'
import { Tabs } from '@/components/tabs'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { useMe } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { strings } from '@/lib/strings'
import { useChoiceParam, useSetParams } from '@/lib/use-param'
import { useTitle } from '@/lib/use-title'

import { AllCheckpoints } from './checkpoints-view'
import { JobHead, JobRow } from './job-row'
import { text } from './training-strings'
import { jobList, jobParams, STATUSES, trainableQuery, type JobFilters } from './use-training'

const NO_FILTERS = { status: null, method: null, mine: null, q: null }
const TABS = ['jobs', 'checkpoints'] as const

export function TrainingsPage() {
  useTitle(text.title)
  const [tab, setTab] = useChoiceParam('tab', TABS)
  return (
    <Page title={text.title} lead={text.lead} actions={<NewButton />}>
      <Tabs
        label={text.tabs.label}
        selected={tab}
        onSelect={setTab}
        panelClassName="pt-4"
        items={[
          { key: 'jobs', label: text.tabs.jobs, content: <Jobs /> },
          { key: 'checkpoints', label: text.tabs.checkpoints, content: <AllCheckpoints /> },
        ]}
      />
    </Page>
  )
}

function useFilters(): { filters: JobFilters; isFiltered: boolean } {
  const [search] = useSearchParams()
  return useMemo(() => {
    const filters = {
      status: STATUSES.find((known) => known === search.get('status')) ?? null,
      method: search.get('method'),
      mine: search.get('mine') === 'true',
      q: search.get('q') ?? '',
    }
    return { filters, isFiltered: Object.keys(jobParams(filters)).length > 0 }
  }, [search])
}

function Jobs() {
  const { filters, isFiltered } = useFilters()
  const change = useSetParams()
  const list = useInfiniteQuery(jobList(filters))
  const rows = list.data?.pages.flatMap((page) => page.results) ?? []
  const panel = 'overflow-hidden rounded-lg border border-line bg-surface-1'
  return (
    <div className="flex flex-col gap-4">
      <Filters filters={filters} isFiltered={isFiltered} />
      {list.isError ? (
        <ErrorPanel problem={toApiError(list.error)} onRetry={() => void list.refetch()} />
      ) : null}
      {list.isPending ? <WorkingBlock /> : null}
      {list.isSuccess && rows.length === 0 ? (
        <div className={panel}>
          {isFiltered ? <NoMatch clear={() => change(NO_FILTERS)} /> : <NoJobs />}
        </div>
      ) : null}
      {rows.length > 0 ? (
        <div className={panel} role="table" aria-label={text.tabs.jobs}>
          <JobHead />
          <div role="rowgroup">
            {rows.map((job) => (
              <JobRow key={job.id} job={job} />
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
    </div>
  )
}

function Filters({ filters, isFiltered }: Readonly<{ filters: JobFilters; isFiltered: boolean }>) {
  const change = useSetParams()
  const methods = useQuery(trainableQuery).data ?? []
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
        any={text.anyMethod}
        label={text.form.method}
        options={methods.map(({ method, name }) => ({ key: method, label: name }))}
        value={filters.method}
        onChange={(method) => change({ method })}
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
    <Link to="/training/new" className={buttonClass({ variant: 'primary' })}>
      <Plus size={14} aria-hidden />
      {text.new}
    </Link>
  )
}

function NoJobs() {
  const mayRun = useMe()?.permissions.run ?? false
  return (
    <EmptyState
      icon={<ChartNoAxesCombined size={28} aria-hidden />}
      title={text.emptyTitle}
      action={
        mayRun ? (
          <Link to="/training/new" className={buttonClass({ variant: 'primary' })}>
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
