import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Scale } from 'lucide-react'

import { StatusBadge } from '@/components/badge'
import { Cell } from '@/components/cells'
import { cx } from '@/components/cx'
import { FilterSelect } from '@/components/filter-select'
import { IntervalPlot } from '@/components/interval-plot'
import { JobHead, JobList, JobRow, NewJobLink } from '@/components/jobs/job-list'
import { ListFilters } from '@/components/list-filters'
import { Page } from '@/components/page'
import { queries } from '@/lib/api/queries'
import { formatCount, formatShare } from '@/lib/format'
import { asInterval } from '@/lib/interval'
import { useListFilters } from '@/lib/use-list-filters'
import { useTitle } from '@/lib/use-title'
import { text } from '@/strings/evaluations'
import { taskFields } from '@/strings/jobs'

import { EvaluationProgress } from './progress'
import { useArmName } from './use-arm-name'
import { FILTERS, evaluationList, isActive, type EvaluationListed } from './use-evaluations'

const NEW = '/evaluations/new'

export function EvaluationsPage() {
  useTitle(text.title)
  const filters = useListFilters(FILTERS)
  const list = useInfiniteQuery(evaluationList(filters.filters))
  return (
    <Page
      title={text.title}
      lead={text.lead}
      actions={<NewJobLink to={NEW}>{text.new}</NewJobLink>}
    >
      <Filters />
      <JobList
        list={list}
        filters={filters}
        words={text}
        label={text.title}
        icon={Scale}
        to={NEW}
        head={<EvaluationHead />}
        row={(evaluation) => <EvaluationRow key={evaluation.id} evaluation={evaluation} />}
      />
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
        label={taskFields.dataset}
        options={datasets.map(({ key, name }) => ({ key, label: name || key }))}
        value={list.filters.dataset}
        onChange={(dataset) => list.change({ dataset })}
      />
    </ListFilters>
  )
}

const LAYOUT =
  'lg:grid lg:grid-cols-[6.25rem_minmax(12rem,1.5fr)_minmax(10rem,1fr)_minmax(13rem,1.2fr)_6.5rem] lg:gap-x-5'

const { columns } = text

const EvaluationHead = () => (
  <JobHead
    layout={LAYOUT}
    heads={[columns.status, columns.name, columns.progress, columns.best, columns.when]}
  />
)

function EvaluationRow({ evaluation }: Readonly<{ evaluation: EvaluationListed }>) {
  const { id, status, dataset, split, task_count, arms, repeats } = evaluation
  const about = [
    `${dataset}/${split}`,
    text.tasks(task_count, formatCount(task_count)),
    text.arms(arms.length),
    ...(repeats > 1 ? [text.repeats(repeats)] : []),
  ]
  return (
    <JobRow
      layout={LAYOUT}
      badge={<StatusBadge status={status} />}
      to={`/evaluations/${id}`}
      job={evaluation}
      about={about.join(' · ')}
    >
      <Cell className={cx('w-full lg:w-auto', !isActive(evaluation) && 'max-lg:hidden')}>
        <EvaluationProgress evaluation={evaluation} />
      </Cell>
      <Cell className="w-full lg:w-auto">
        <BestArm evaluation={evaluation} />
      </Cell>
    </JobRow>
  )
}

const WHOLE = [0, 1] as const

/** The arm that leads, with its interval on the axis from 0 to 100 %. */
export function BestArm({ evaluation }: Readonly<{ evaluation: EvaluationListed }>) {
  const nameOf = useArmName(evaluation)
  const { best } = evaluation
  if (!best) return <span className="text-ink-3">{text.none}</span>
  const interval = asInterval(best.interval)
  const name = nameOf(best.label)
  return (
    <span className="grid grid-cols-[1fr_auto] items-center gap-x-3">
      <span className="truncate" title={name}>
        {name}
      </span>
      <span className="font-medium">{formatShare(best.accuracy)}</span>
      <IntervalPlot
        className="col-span-2"
        value={best.accuracy}
        interval={interval}
        axis={WHOLE}
        label={text.armTable.plot(
          name,
          formatShare(best.accuracy),
          formatShare(interval?.[0]),
          formatShare(interval?.[1]),
        )}
      />
    </span>
  )
}
