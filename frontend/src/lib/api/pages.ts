import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query'

import { unwrap } from './client'

interface Page {
  readonly next?: string | null
}

interface More<P> {
  /** When all pages are read again; false: never. */
  readonly refetchInterval?: (pages: readonly P[]) => number | false
  readonly gcTime?: number
}

/** The cursor in the address of a next page; null after the last. */
export const cursorOf = (url: string | null | undefined): string | null =>
  url ? new URL(url, globalThis.location.origin).searchParams.get('cursor') : null

/** A list of the API, page after page. What is shown stays while another list is on its way. */
export const pagesOf = <P extends Page>(
  queryKey: QueryKey,
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<{ data?: P }>,
  { refetchInterval = () => false, gcTime }: More<P> = {},
) =>
  infiniteQueryOptions({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => unwrap(read(pageParam, signal)),
    getNextPageParam: (page) => cursorOf(page.next),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => refetchInterval(state.data?.pages ?? []),
    gcTime,
  })
