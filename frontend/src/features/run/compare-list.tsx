import { useInfiniteQuery } from '@tanstack/react-query'
import { Menu, MenuItem } from 'react-aria-components'
import { useNavigate } from 'react-router'

import { StatusBadge } from '@/components/badge'
import { useRun } from '@/components/run/run-context'
import { text } from '@/strings/run'
import { api } from '@/lib/api/client'
import { pagesOf } from '@/lib/api/pages'
import { useMethodName } from '@/lib/api/queries'
import { formatAgo, formatCount, totalTokens } from '@/lib/format'
import { useNow } from '@/lib/use-now'

const PAGE_SIZE = 20
const MORE = 'more'

/** Other runs of the same question, page by page, those of evaluations too. */
const sameQuestion = (id: string) =>
  pagesOf(['runs', 'same', id], (cursor, signal) => {
    const query = { same_query: id, answers: true, page_size: PAGE_SIZE, cursor }
    return api.GET('/api/runs', { params: { query }, signal })
  })

/** The other runs of the question: each is a way to the page that puts both side by side. */
export function CompareList() {
  const id = useRun((state) => state.view.runId)
  const origin = useRun(({ view }) => view.detail?.fork_of ?? view.detail?.retry_of ?? null)
  const navigate = useNavigate()
  const methodName = useMethodName()
  const now = useNow()
  const list = useInfiniteQuery(sameQuestion(id))
  const others = list.data?.pages.flatMap((page) => page.results)
  const sorted = others?.toSorted((a, b) => Number(b.id === origin) - Number(a.id === origin))
  // What came first stands on the left.
  const compare = (other: string): void => {
    const found = others?.find((run) => run.id === other)
    const own = { left: id, right: other }
    const sides = other === origin || isOlder(found) ? { left: other, right: id } : own
    void navigate(`/runs/compare?left=${sides.left}&right=${sides.right}`)
  }
  const created = useRun(({ view }) => view.detail?.created_at ?? '')
  const isOlder = (run: { created_at: string } | undefined): boolean =>
    run !== undefined && run.created_at < created
  return (
    <>
      <p className="px-2 pt-1.5 pb-1 text-xs text-ink-3">{text.compare.help}</p>
      <Menu
        aria-label={text.compare.help}
        className="max-h-80 overflow-auto outline-none"
        onAction={(key) => {
          if (key === MORE) void list.fetchNextPage()
          else compare(String(key))
        }}
        renderEmptyState={() => (
          <p className="px-2 pb-2 text-sm text-ink-2">{others ? text.compare.none : '…'}</p>
        )}
      >
        {(sorted ?? []).map((run) => (
          <MenuItem
            key={run.id}
            id={run.id}
            textValue={`${methodName(run.method)} ${run.answer ?? ''}`}
            className="flex cursor-default items-center gap-2 rounded-md px-2 py-1.5 text-sm outline-none data-[focused]:bg-surface-2"
          >
            <StatusBadge status={run.status} />
            <span className="flex min-w-0 flex-1 flex-col">
              <span className="truncate">
                {run.id === origin ? text.compare.origin : methodName(run.method)}
                {run.answer === null ? '' : `: ${run.answer}`}
              </span>
              <span className="text-xs text-ink-3">
                {text.tokens(formatCount(totalTokens(run.usage)))}, {text.compare.seed(run.seed)},{' '}
                {formatAgo(run.created_at, now)}
                {run.evaluation === null ? '' : `, ${text.compare.evaluated}`}
              </span>
            </span>
          </MenuItem>
        ))}
        {list.hasNextPage ? (
          <MenuItem
            id={MORE}
            shouldCloseOnSelect={false}
            className="cursor-default rounded-md px-2 py-1.5 text-sm font-medium text-accent outline-none data-[focused]:bg-surface-2"
          >
            {list.isFetchingNextPage ? '…' : text.compare.more}
          </MenuItem>
        ) : null}
      </Menu>
    </>
  )
}
