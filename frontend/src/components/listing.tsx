import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'

import { Button } from './button'
import { EmptyState } from './empty-state'
import { QueryState } from './query-state'

/** What a listing asks of an infinite query. */
interface Pages {
  readonly isError: boolean
  readonly error: unknown
  readonly isPending: boolean
  readonly isSuccess: boolean
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly refetch: () => Promise<unknown>
  readonly fetchNextPage: () => Promise<unknown>
}

interface Props {
  list: Pages
  isEmpty: boolean
  /** In the place of the rows when there are none. */
  none: ReactNode
  /** How many are shown; null says nothing, and leaves the way to more. */
  shown: string | null
  more: string
  children: ReactNode
}

const panel = 'overflow-hidden rounded-lg border border-line bg-surface-1'

/** Rows that load page by page, with what stands there before, without and instead of them. */
export function Listing({ list, isEmpty, none, shown, more, children }: Readonly<Props>) {
  return (
    <>
      <QueryState of={list} />
      {list.isSuccess && isEmpty ? <div className={panel}>{none}</div> : null}
      {isEmpty ? null : <div className={panel}>{children}</div>}
      {isEmpty || (shown === null && !list.hasNextPage) ? null : (
        <footer className="flex items-center justify-between gap-4 text-xs text-ink-3">
          {shown}
          {list.hasNextPage ? (
            <Button isPending={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
              {more}
            </Button>
          ) : null}
        </footer>
      )}
    </>
  )
}

interface NoMatchProps {
  title: string
  clear: string
  onClear: () => void
  /** Another way out, beside that. */
  more?: ReactNode
  children: string
}

/** Nothing fits the filters: the way out is to clear them. */
export function NoMatch({ title, clear, onClear, more, children }: Readonly<NoMatchProps>) {
  return (
    <EmptyState
      icon={SearchX}
      title={title}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {more}
          <Button onPress={onClear}>{clear}</Button>
        </div>
      }
    >
      {children}
    </EmptyState>
  )
}
