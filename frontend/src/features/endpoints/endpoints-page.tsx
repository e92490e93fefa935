import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Cpu, Plus } from 'lucide-react'
import { useState } from 'react'

import { Ago } from '@/components/ago'
import { Button } from '@/components/button'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Dialog } from '@/components/dialog'
import { EmptyState } from '@/components/empty-state'
import { Listing } from '@/components/listing'
import { Page } from '@/components/page'
import { QueryState } from '@/components/query-state'
import { queries, useMe, type Endpoint } from '@/lib/api/queries'
import { useParam } from '@/lib/use-param'
import { useTitle } from '@/lib/use-title'
import { strings } from '@/strings/studio'

import { EndpointCard } from './endpoint-card'
import { EndpointDialog } from './endpoint-dialog'
import { changesOf, useDeleteEndpoint, type EndpointChange } from './use-endpoints'

type Open = { kind: 'add' } | { kind: 'edit' | 'delete'; endpoint: Endpoint } | null

export function EndpointsPage() {
  useTitle(strings.endpoints.title)
  const endpoints = useQuery(queries.endpoints)
  const curate = useMe()?.permissions.curate ?? false
  const [open, setOpen] = useState<Open>(null)
  const [historyOf, setHistoryOf] = useParam('history')
  const past = curate && endpoints.data?.find(({ key }) => key === historyOf)
  const close = (): void => setOpen(null)
  return (
    <Page
      title={strings.endpoints.title}
      lead={strings.endpoints.lead}
      actions={
        curate ? (
          <Button variant="primary" onPress={() => setOpen({ kind: 'add' })} icon={Plus}>
            {strings.endpoints.add}
          </Button>
        ) : null
      }
    >
      <QueryState of={endpoints} />
      {endpoints.data?.length === 0 ? (
        <EmptyState icon={Cpu} title={strings.endpoints.emptyTitle}>
          {strings.endpoints.emptyBody}
        </EmptyState>
      ) : null}
      <div className="grid items-start gap-4 xl:grid-cols-2">
        {endpoints.data?.map((endpoint) => (
          <EndpointCard
            key={endpoint.key}
            endpoint={endpoint}
            curate={curate}
            onEdit={() => setOpen({ kind: 'edit', endpoint })}
            onDelete={() => setOpen({ kind: 'delete', endpoint })}
            onHistory={() => setHistoryOf(endpoint.key)}
          />
        ))}
      </div>
      {open?.kind === 'add' ? <EndpointDialog endpoint={null} onClose={close} /> : null}
      {open?.kind === 'edit' ? <EndpointDialog endpoint={open.endpoint} onClose={close} /> : null}
      {past ? <HistoryDialog endpoint={past} onClose={() => setHistoryOf(null)} /> : null}
      {open?.kind === 'delete' ? <DeleteDialog endpoint={open.endpoint} onClose={close} /> : null}
    </Page>
  )
}

interface Props {
  endpoint: Endpoint
  onClose: () => void
}

function DeleteDialog({ endpoint, onClose }: Readonly<Props>) {
  const remove = useDeleteEndpoint(endpoint, onClose)
  return (
    <ConfirmDialog
      title={strings.endpoints.deleteTitle(endpoint.name)}
      body={strings.endpoints.deleteBody}
      action={strings.common.delete}
      deed={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}

const { history, fields } = strings.endpoints

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
  return (
    <>
      <p className="font-medium">
        {history.line(change.changed_by ?? history.studio, history.kinds[change.kind])}{' '}
        <Ago at={change.changed_at} className="font-normal text-ink-3" />
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
  if (typeof value === 'object' && value !== null && Object.keys(value).length)
    return JSON.stringify(value)
  return typeof value === 'string' && value !== '' ? value : history.empty
}
