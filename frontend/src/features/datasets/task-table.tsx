import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { FileQuestion, MessageCircleQuestion, SearchX } from 'lucide-react'

import { ButtonLink } from '@/components/button-link'
import { Cell } from '@/components/cells'
import { cx } from '@/components/cx'
import { DelayedSearch } from '@/components/delayed-search'
import { Dialog } from '@/components/dialog'
import { Disclosure } from '@/components/disclosure'
import { EmptyState } from '@/components/empty-state'
import { Fact } from '@/components/fact'
import { LongList } from '@/components/long-list'
import { Notice } from '@/components/notice'
import { PlainText } from '@/components/plain-text'
import { QueryError } from '@/components/query-state'
import { ScrollRegion } from '@/components/scroll-region'
import type { Dataset } from '@/lib/api/queries'
import { UNKNOWN, formatCount, shorten, textOr } from '@/lib/format'
import type { Split } from '@/lib/splits'
import { useParam } from '@/lib/use-param'
import { text } from '@/strings/datasets'

import { SubtaskList } from './subtask-list'
import { taskGraphOf, withoutTaskGraph } from './task-graph'
import { taskList, taskQuery, type Task, type TaskSummary } from './use-datasets'

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
  if (asked.isError) return <QueryError of={asked} />
  return asked.isSuccess ? (
    <Notice tone="warn" title={words.gone}>
      {words.goneHelp}
    </Notice>
  ) : null
}

function Nothing({ split, isSearched }: Readonly<{ split: Split; isSearched: boolean }>) {
  return isSearched ? (
    <EmptyState icon={SearchX} title={words.noMatchTitle}>
      {words.noMatchBody}
    </EmptyState>
  ) : (
    <EmptyState icon={FileQuestion} title={words.emptyTitle(split)}>
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

function TaskDialog({ task, onClose }: Readonly<{ task: Task; onClose: () => void }>) {
  const graph = taskGraphOf(task.metadata)
  const metadata = graph ? withoutTaskGraph(task.metadata) : task.metadata
  return (
    <Dialog
      isOpen
      wide
      onClose={onClose}
      title={words.title(text.splits[task.split], task.index)}
      footer={
        <ButtonLink
          to={`/?q=${encodeURIComponent(task.query)}&task=${task.id}`}
          icon={MessageCircleQuestion}
        >
          {words.ask}
        </ButtonLink>
      }
    >
      <div className="flex flex-col gap-4">
        {graph ? (
          <>
            <SubtaskList graph={graph} />
            <Disclosure title={words.whole}>
              <p className="whitespace-pre-wrap">
                <PlainText text={task.query} />
              </p>
            </Disclosure>
          </>
        ) : (
          <p className="whitespace-pre-wrap">
            <PlainText text={task.query} />
          </p>
        )}
        <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3">
          <div className="col-span-2 flex min-w-0 flex-col sm:col-span-3">
            <dt className="text-xs text-ink-3">{words.columns.reference}</dt>
            <dd className="max-h-60 overflow-auto font-medium whitespace-pre-wrap">
              <PlainText text={task.reference ?? UNKNOWN} />
            </dd>
          </div>
          <Fact name={words.columns.verifier}>{textOr(task.verifier, words.none)}</Fact>
          <Fact name={words.columns.domain}>{textOr(task.domain)}</Fact>
        </dl>
        {Object.keys(metadata).length > 0 ? (
          <div className="flex flex-col gap-1">
            <h3 className="text-xs font-semibold text-ink-2">{words.metadata}</h3>
            <ScrollRegion
              label={words.metadata}
              className="max-h-72 overflow-auto rounded-md bg-surface-2 p-2.5"
            >
              <pre className="font-mono text-xs whitespace-pre-wrap">
                {JSON.stringify(metadata, null, 2)}
              </pre>
            </ScrollRegion>
          </div>
        ) : null}
      </div>
    </Dialog>
  )
}
