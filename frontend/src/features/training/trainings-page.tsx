import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ChartNoAxesCombined, Users } from 'lucide-react'

import { ButtonLink } from '@/components/button-link'
import { Cell, NumberCell } from '@/components/cells'
import { FilterSelect } from '@/components/filter-select'
import { JobHead, JobList, JobRow, NewJobLink } from '@/components/jobs/job-list'
import { ListFilters } from '@/components/list-filters'
import { Page } from '@/components/page'
import { Tabs } from '@/components/tabs'
import { useMethodName } from '@/lib/api/queries'
import { UNKNOWN, formatCompact, formatMetric, formatShare } from '@/lib/format'
import { useListFilters } from '@/lib/use-list-filters'
import { useChoiceParam } from '@/lib/use-param'
import { useTitle } from '@/lib/use-title'
import { text as team } from '@/strings/team'
import { text } from '@/strings/training'

import { AllCheckpoints } from './checkpoints-view'
import { JobStatus } from './job-status'
import { TrainingProgress } from './training-progress'
import { FILTERS, jobList, trainableQuery, type Training } from './use-training'

const NEW = '/training/new'
const TABS = ['jobs', 'checkpoints'] as const

export function TrainingsPage() {
  useTitle(text.title)
  const [tab, setTab] = useChoiceParam('tab', TABS)
  return (
    <Page
      title={text.title}
      lead={text.lead}
      actions={
        <div className="flex flex-wrap gap-2">
          <ButtonLink to="/training/team" icon={Users}>
            {team.open}
          </ButtonLink>
          <NewJobLink to={NEW}>{text.new}</NewJobLink>
        </div>
      }
    >
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
  const filters = useListFilters(FILTERS)
  const list = useInfiniteQuery(jobList(filters.filters))
  return (
    <div className="flex flex-col gap-4">
      <Filters />
      <JobList
        list={list}
        filters={filters}
        words={text}
        label={text.tabs.jobs}
        icon={ChartNoAxesCombined}
        to={NEW}
        head={<TrainingHead />}
        row={(job) => <TrainingRow key={job.id} job={job} />}
      />
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

const LAYOUT =
  'lg:grid lg:grid-cols-[6.25rem_minmax(12rem,1.6fr)_minmax(10rem,1fr)_5rem_5rem_4.5rem_6.5rem] lg:gap-x-5'

const { columns } = text

const FIRST = [columns.status, columns.name, columns.progress]
const NUMBERS = [columns.reward, columns.accuracy, columns.tokens]

const TrainingHead = () => (
  <JobHead layout={LAYOUT} heads={[...FIRST, ...NUMBERS, columns.when]} numbers={NUMBERS} />
)

function TrainingRow({ job }: Readonly<{ job: Training }>) {
  const methodName = useMethodName()
  const { method, preset, dataset, split, model, latest } = job
  const about = [methodName(method), preset, `${dataset ?? UNKNOWN}/${split}`, model]
  return (
    <JobRow
      layout={LAYOUT}
      badge={<JobStatus job={job} />}
      to={`/training/${job.id}`}
      job={job}
      about={<span className="block truncate">{about.filter(Boolean).join(' · ')}</span>}
    >
      <Cell className="w-full lg:w-auto">
        <TrainingProgress job={job} />
      </Cell>
      <NumberCell label={columns.reward}>{formatMetric(latest.reward)}</NumberCell>
      <NumberCell label={columns.accuracy}>{formatShare(latest.accuracy)}</NumberCell>
      <NumberCell label={columns.tokens}>{formatCompact(job.tokens)}</NumberCell>
    </JobRow>
  )
}
