import { useQuery } from '@tanstack/react-query'
import { Database, Grid3x3, MessageCircleQuestionMark, Plus } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { Ago } from '@/components/ago'
import { Button } from '@/components/button'
import { DataTable, type Column } from '@/components/data-table'
import { EmptyState } from '@/components/empty-state'
import { Page } from '@/components/page'
import { TextLink } from '@/components/text-link'
import { QueryState } from '@/components/query-state'
import { queries, useMe, type Dataset } from '@/lib/api/queries'
import { formatCount, textOr, UNKNOWN } from '@/lib/format'
import { sortOf, sortText } from '@/lib/sorting'
import { useParam } from '@/lib/use-param'
import { useProgressTitle } from '@/lib/use-progress-title'

import { DatasetDialog } from './dataset-dialog'
import { EpisodesDialog } from './episodes-dialog'
import { QuestionsDialog } from './questions-dialog'
import { text } from '@/strings/datasets'
import { SPLITS } from '@/lib/splits'

import { benchmarksQuery } from './use-datasets'

export function DatasetsPage() {
  const [progress, setProgress] = useState<string | null>(null)
  useProgressTitle(text.title, progress)
  const datasets = useQuery(queries.datasets)
  const curate = useMe()?.permissions.curate ?? false
  const games = useQuery({ ...queries.games, enabled: curate })
  const [open, setOpen] = useState<'create' | 'episodes' | 'questions' | null>(null)
  const close = (): void => setOpen(null)
  const navigate = useNavigate()
  const create = (
    <div className="flex flex-wrap items-center gap-2">
      <Button isDisabled={!games.data} onPress={() => setOpen('episodes')} icon={Grid3x3}>
        {text.makeEpisodes}
      </Button>
      <Button onPress={() => setOpen('questions')} icon={MessageCircleQuestionMark}>
        {text.makeQuestions}
      </Button>
      <Button variant="primary" onPress={() => setOpen('create')} icon={Plus}>
        {text.create}
      </Button>
    </div>
  )
  return (
    <Page title={text.title} lead={text.lead} actions={curate ? create : null}>
      <QueryState of={datasets} />
      {datasets.data?.length === 0 ? (
        <div className="rounded-lg border border-line bg-surface-1">
          <EmptyState icon={Database} title={text.emptyTitle} action={curate ? create : null}>
            {text.emptyBody} {curate ? '' : text.emptyViewer}
          </EmptyState>
        </div>
      ) : null}
      {datasets.data && datasets.data.length > 0 ? <DatasetTable rows={datasets.data} /> : null}
      {open === 'episodes' && games.data ? (
        <EpisodesDialog games={games.data} onProgress={setProgress} onClose={close} />
      ) : null}
      {open === 'questions' ? <QuestionsDialog onProgress={setProgress} onClose={close} /> : null}
      {open === 'create' ? (
        <DatasetDialog
          dataset={null}
          onClose={close}
          onSaved={({ key }) => void navigate(`/datasets/${key}`)}
        />
      ) : null}
    </Page>
  )
}

function DatasetTable({ rows }: Readonly<{ rows: readonly Dataset[] }>) {
  const [sort, setSort] = useParam('sort')
  const benchmarks = useQuery(benchmarksQuery).data
  const kind = (key: string | undefined): string =>
    benchmarks?.find((benchmark) => benchmark.key === key)?.name ?? key ?? UNKNOWN
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface-1">
      <DataTable
        label={text.title}
        rows={rows}
        keyOf={({ key }) => key}
        columns={columnsOf(kind)}
        sort={sortOf(sort ?? 'name')}
        onSort={(next) => setSort(sortText(next))}
        rowClass={() => 'hover:bg-surface-2'}
      />
    </div>
  )
}

const columnsOf = (kind: (key: string | undefined) => string): Column<Dataset>[] => [
  {
    key: 'name',
    head: text.columns.name,
    isRowHead: true,
    className: 'min-w-44',
    value: ({ name }) => name,
    render: ({ key, name, description }) => (
      <>
        <TextLink to={`/datasets/${key}`} className="block w-fit">
          {name}
        </TextLink>
        <p className="line-clamp-1 max-w-xl text-xs font-normal text-ink-3">
          {textOr(description, key)}
        </p>
      </>
    ),
  },
  {
    key: 'benchmark',
    head: text.columns.benchmark,
    className: 'whitespace-nowrap',
    value: ({ benchmark }) => kind(benchmark),
    render: ({ benchmark }) => kind(benchmark),
  },
  ...SPLITS.map((split) => ({
    key: split,
    head: text.columns[split],
    numeric: true,
    value: ({ splits }: Dataset) => splits[split],
    render: ({ key, splits }: Dataset) =>
      splits[split] === 0 ? (
        <span className="text-ink-3">0</span>
      ) : (
        <Link
          to={`/datasets/${key}?split=${split}`}
          className="rounded-sm hover:text-accent hover:underline"
        >
          {formatCount(splits[split])}
        </Link>
      ),
  })),
  {
    key: 'updated',
    head: text.columns.updated,
    className: 'whitespace-nowrap',
    first: 'descending',
    value: ({ updated_at }) => updated_at,
    render: ({ updated_at }) => <Ago at={updated_at} />,
  },
]
