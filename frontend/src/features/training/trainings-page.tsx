import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ChartNoAxesCombined, Plus } from 'lucide-react'
import { Link } from 'react-router'

import { buttonClass } from '@/components/button-class'
import { EmptyState } from '@/components/empty-state'
import { FilterSelect } from '@/components/filter-select'
import { ListFilters } from '@/components/list-filters'
import { Listing, NoMatch } from '@/components/listing'
import { Page } from '@/components/page'
import { Tabs } from '@/components/tabs'
import { useMe } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { useListFilters } from '@/lib/use-list-filters'
import { useChoiceParam } from '@/lib/use-param'
import { useTitle } from '@/lib/use-title'

import { AllCheckpoints } from './checkpoints-view'
import { JobHead, JobRow } from './job-row'
import { FILTERS } from './filters'
import { text } from '@/strings/training'
import { jobList, trainableQuery } from './use-training'

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

function Jobs() {
  const { filters, isFiltered, clear } = useListFilters(FILTERS)
  const list = useInfiniteQuery(jobList(filters))
  const rows = list.data?.pages.flatMap((page) => page.results) ?? []
  return (
    <div className="flex flex-col gap-4">
      <Filters />
      <Listing
        list={list}
        isEmpty={rows.length === 0}
        none={isFiltered ? <NothingFits clear={clear} /> : <NoJobs />}
        shown={list.hasNextPage ? text.shown(formatCount(rows.length)) : null}
        more={text.more}
      >
        <div role="table" aria-label={text.tabs.jobs}>
          <JobHead />
          <div role="rowgroup">
            {rows.map((job) => (
              <JobRow key={job.id} job={job} />
            ))}
          </div>
        </div>
      </Listing>
    </div>
  )
}

function Filters() {
  const list = useListFilters(FILTERS)
  const methods = useQuery(trainableQuery).data ?? []
  return (
    <ListFilters page="trainings" texts={{ ...text, status: text.columns.status }} list={list}>
      <FilterSelect
        any={text.anyMethod}
        label={text.form.method}
        options={methods.map(({ method, name }) => ({ key: method, label: name }))}
        value={list.filters.method}
        onChange={(method) => list.change({ method })}
      />
    </ListFilters>
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

function NothingFits({ clear }: Readonly<{ clear: () => void }>) {
  return (
    <NoMatch title={text.noMatchTitle} clear={text.clear} onClear={clear}>
      {text.noMatchBody}
    </NoMatch>
  )
}
