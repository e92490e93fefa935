import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { FileQuestion, SearchX } from 'lucide-react'

import { Cell } from '@/components/cells'
import { cx } from '@/components/cx'
import { DelayedSearch } from '@/components/delayed-search'
import { EmptyState } from '@/components/empty-state'
import { ErrorPanel } from '@/components/error-panel'
import { LongList } from '@/components/long-list'
import { Notice } from '@/components/notice'
import { toApiError } from '@/lib/api/errors'
import type { Dataset } from '@/lib/api/queries'
import { formatCount, shorten, textOr, UNKNOWN } from '@/lib/format'
import { useParam } from '@/lib/use-param'

import { text } from '@/strings/datasets'
import { TaskDialog } from './task-dialog'
import type { Split } from '@/lib/splits'
import { taskList, taskQuery, type TaskSummary } from './use-datasets'

const { tasks: words } = text
const COLUMNS =
  'lg:grid lg:grid-cols-[3.5rem_minmax(16rem,3fr)_minmax(8rem,1fr)_7rem_7rem] lg:gap-x-4'

export function TaskTable({ dataset, split }: Readonly<{ dataset: Dataset; split: Split }>) {
  const [q, setQuery] = useParam('q')
  const [chosen, setChosen] = useParam('task')
  const list = useInfiniteQuery(taskList(dataset.key, split, q ?? ''))
  return (
    <div className="flex flex-col gap-3">
      <DelayedSearch label={words.search} className="sm:w-72" value={q ?? ''} onChange={setQuery} />
      <LongList
        list={list}
        label={`${words.label}: ${text.splits[split]}`}
        head={<Head />}
        keyOf={({ id }) => String(id)}
        render={(task) => <TaskRow task={task} onOpen={() => setChosen(String(task.id))} />}
        rowHeight={57}
        empty={<Nothing split={split} isSearched={q !== null} />}
      />
      {chosen === null ? null : (
        <OpenTask dataset={dataset.key} id={chosen} onClose={() => setChosen(null)} />
      )}
    </div>
  )
}

interface OpenProps {
  dataset: string
  id: string
  onClose: () => void
}

/** Rows of the list have their texts cut, so the task is asked for. */
function OpenTask({ dataset, id, onClose }: Readonly<OpenProps>) {
  const asked = useQuery(taskQuery(dataset, id))
  if (asked.data) return <TaskDialog task={asked.data} onClose={onClose} />
  if (asked.isError)
    return <ErrorPanel problem={toApiError(asked.error)} onRetry={() => void asked.refetch()} />
  return asked.isSuccess ? (
    <Notice tone="warn" title={words.gone}>
      {words.goneHelp}
    </Notice>
  ) : null
}

function Nothing({ split, isSearched }: Readonly<{ split: Split; isSearched: boolean }>) {
  return isSearched ? (
    <EmptyState icon={<SearchX size={28} aria-hidden />} title={words.noMatchTitle}>
      {words.noMatchBody}
    </EmptyState>
  ) : (
    <EmptyState icon={<FileQuestion size={28} aria-hidden />} title={words.emptyTitle(split)}>
      {words.emptyBody}
    </EmptyState>
  )
}

function Head() {
  const { query, reference, verifier, domain } = words.columns
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={cx(
        'hidden border-b border-line bg-surface-0 px-4 py-2 text-xs font-medium text-ink-3',
        COLUMNS,
      )}
    >
      <span role="columnheader" className="text-right">
        #
      </span>
      {[query, reference, verifier, domain].map((head) => (
        <span key={head} role="columnheader">
          {head}
        </span>
      ))}
    </div>
  )
}

function TaskRow({ task, onOpen }: Readonly<{ task: TaskSummary; onOpen: () => void }>) {
  return (
    <div
      className={cx(
        'relative flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2 hover:bg-surface-2',
        'has-[button:focus-visible]:outline-2 has-[button:focus-visible]:-outline-offset-2 has-[button:focus-visible]:outline-accent',
        COLUMNS,
      )}
    >
      <Cell className="text-xs text-ink-3 lg:text-right">{formatCount(task.index + 1)}</Cell>
      <Cell className="w-full lg:w-auto">
        <button
          type="button"
          title={words.open(task.index)}
          onClick={onOpen}
          className="block w-full text-left outline-none after:absolute after:inset-0"
        >
          <span className="line-clamp-2">{shorten(task.query, 300)}</span>
        </button>
      </Cell>
      <Cell>
        <span className="line-clamp-2 font-medium">
          {task.reference ? shorten(task.reference, 120) : UNKNOWN}
        </span>
      </Cell>
      <Cell className="text-xs text-ink-2">{textOr(task.verifier, words.none)}</Cell>
      <Cell className="text-xs text-ink-2">{textOr(task.domain)}</Cell>
    </div>
  )
}
