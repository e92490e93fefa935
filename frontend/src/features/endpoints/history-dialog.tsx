import { useInfiniteQuery } from '@tanstack/react-query'

import { Dialog } from '@/components/dialog'
import { Listing } from '@/components/listing'
import type { Endpoint } from '@/lib/api/queries'
import { formatAgo, formatDateTime } from '@/lib/format'
import { strings } from '@/strings/studio'
import { useNow } from '@/lib/use-now'

import { changesOf, type EndpointChange } from './use-endpoints'

const { history, fields } = strings.endpoints

interface Props {
  endpoint: Endpoint
  onClose: () => void
}

/** Who changed what of an endpoint, the newest first. */
export function HistoryDialog({ endpoint, onClose }: Readonly<Props>) {
  const list = useInfiniteQuery(changesOf(endpoint.key))
  const changes = list.data?.pages.flatMap((page) => page.results) ?? []
  return (
    <Dialog isOpen wide title={history.title(endpoint.name)} onClose={onClose}>
      <div className="flex flex-col gap-3">
        <Listing
          list={list}
          isEmpty={changes.length === 0}
          none={<p className="p-4 text-ink-2">{history.none}</p>}
          shown={null}
          more={history.more}
        >
          <ul className="divide-y divide-line">
            {changes.map((change) => (
              <li key={change.id} className="flex flex-col gap-1 px-4 py-3">
                <Line change={change} />
              </li>
            ))}
          </ul>
        </Listing>
      </div>
    </Dialog>
  )
}

function Line({ change }: Readonly<{ change: EndpointChange }>) {
  const now = useNow()
  return (
    <>
      <p className="font-medium">
        {history.line(change.changed_by ?? history.studio, history.kinds[change.kind])}{' '}
        <time
          dateTime={change.changed_at}
          title={formatDateTime(change.changed_at)}
          className="font-normal text-ink-3"
        >
          {formatAgo(change.changed_at, now)}
        </time>
      </p>
      <dl className="grid gap-x-4 gap-y-0.5 text-xs sm:grid-cols-[10rem_1fr]">
        {change.fields.map(({ name, before, after }) => (
          <div key={name} className="contents">
            <dt className="text-ink-3">{label(name)}</dt>
            <dd className="min-w-0 break-words">
              {change.kind === 'changed' ? (
                <>
                  <del className="text-ink-2">{shown(before)}</del> → <ins>{shown(after)}</ins>
                </>
              ) : (
                shown(change.kind === 'created' ? after : before)
              )}
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

const known: Readonly<Record<string, string>> = fields

const label = (name: string): string => known[name] ?? name

function shown(value: unknown): string {
  if (typeof value === 'boolean') return value ? history.yes : history.no
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : history.empty
}
