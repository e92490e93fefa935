import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useCallback, useMemo, type ReactNode } from 'react'

import { toApiError } from '@/lib/api/errors'
import { formatCount } from '@/lib/format'
import { strings } from '@/strings/studio'

import { ErrorPanel } from './error-panel'
import { VirtualTable } from './virtual-table'
import { WorkingBlock } from './working'

const { lists: text } = strings

type List<T> = UseInfiniteQueryResult<InfiniteData<{ readonly results: readonly T[] }>>

interface Props<T> {
  list: List<T>
  label: string
  head: ReactNode
  keyOf: (row: T) => string
  render: (row: T) => ReactNode
  /** Pixels, before a row is measured. */
  rowHeight: number
  /** Instead of the table where nothing was found. */
  empty: ReactNode
  /** Rows are still being made. */
  isGrowing?: boolean
}

/** Rows of the API, page by page as one scrolls; what is there stays when a page or a poll fails. */
export function LongList<T>(props: Readonly<Props<T>>) {
  const { list, label, head, keyOf, render, rowHeight, empty, isGrowing = false } = props
  const { data, hasNextPage, isFetchingNextPage, isError, fetchNextPage } = list
  const rows = useMemo(() => data?.pages.flatMap((page) => page.results) ?? [], [data])
  // After a failure only a person asks again: the end is still near, and would ask without pause.
  const mayFetch = !isFetchingNextPage && !isError
  const more = useCallback(() => {
    if (mayFetch) void fetchNextPage()
  }, [fetchNextPage, mayFetch])
  return (
    <>
      {list.isPending ? <WorkingBlock /> : null}
      {data ? (
        <div className="overflow-hidden rounded-lg border border-line bg-surface-1">
          {rows.length === 0 ? (
            empty
          ) : (
            <VirtualTable
              label={label}
              head={head}
              rows={rows}
              keyOf={keyOf}
              render={render}
              rowHeight={rowHeight}
              isComplete={!hasNextPage && !isGrowing}
              onEnd={hasNextPage ? more : undefined}
            />
          )}
        </div>
      ) : null}
      {isError ? <Failure list={list} /> : null}
      {rows.length > 0 ? (
        <p className="text-xs text-ink-3">{countText(rows.length, hasNextPage, isGrowing)}</p>
      ) : null}
    </>
  )
}

function Failure<T>({ list }: Readonly<{ list: List<T> }>) {
  const { data, error, isFetchNextPageError, fetchNextPage, refetch } = list
  const problem = toApiError(error)
  if (!data) return <ErrorPanel problem={problem} onRetry={() => void refetch()} />
  return (
    <ErrorPanel
      title={isFetchNextPageError ? text.cut : text.stale}
      problem={problem}
      {...(isFetchNextPageError ? { retryLabel: text.rest } : {})}
      onRetry={() => void (isFetchNextPageError ? fetchNextPage() : refetch())}
    />
  )
}

function countText(count: number, hasMore: boolean, isGrowing: boolean): string {
  const shown = formatCount(count)
  if (hasMore) return text.shown(shown)
  return isGrowing ? text.soFar(shown) : text.all(shown)
}
