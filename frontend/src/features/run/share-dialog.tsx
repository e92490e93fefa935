import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link2, Unlink } from 'lucide-react'
import { useState, type ReactNode } from 'react'

import { Button } from '@/components/button'
import { CopyButton } from '@/components/copy-button'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { useRun } from '@/components/run/run-context'
import { text } from '@/components/run/run-strings'
import { Select } from '@/components/select'
import { Working } from '@/components/working'
import type { components } from '@/generated/api'
import { isEnded } from '@/graph/run-view'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { useMe } from '@/lib/api/queries'
import { formatAgo, formatDateTime } from '@/lib/format'
import { notify } from '@/lib/toasts'
import { useNow } from '@/lib/use-now'

const words = text.share
const FOREVER = ':forever'
const DAYS = [1, 7, 30, 365] as const
const USUAL = '30'

type Share = components['schemas']['Share']

const sharesQuery = (run: string) =>
  queryOptions({
    queryKey: ['shares', run],
    queryFn: () =>
      unwrap(api.GET('/api/runs/{run_id}/shares', { params: { path: { run_id: run } } })),
  })

/** The address for colleagues, and links that need no account, to make and to revoke. */
export default function ShareDialog({ onClose }: Readonly<{ onClose: () => void }>) {
  const me = useMe()
  const id = useRun((state) => state.view.runId)
  const owner = useRun((state) => state.view.detail?.created_by ?? null)
  const over = useRun((state) => isEnded(state.view.status))
  const own = me !== undefined && (me.permissions.admin || owner === me.username)
  return (
    <Dialog isOpen title={words.title} onClose={onClose} wide>
      <div className="flex flex-col gap-6">
        <Part title={words.inside} help={words.insideHelp}>
          <Address url={globalThis.location.href} />
        </Part>
        {own && me.permissions.share ? (
          <Part title={words.outside} help={words.outsideHelp}>
            {over ? <Links run={id} /> : <p className="text-ink-2">{words.active}</p>}
          </Part>
        ) : null}
      </div>
    </Dialog>
  )
}

function Links({ run }: Readonly<{ run: string }>) {
  const client = useQueryClient()
  const shares = useQuery(sharesQuery(run))
  const [lasts, setLasts] = useState<string>(USUAL)
  const params = { path: { run_id: run } }
  const again = () => client.invalidateQueries({ queryKey: sharesQuery(run).queryKey })
  const make = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/runs/{run_id}/shares', {
          params,
          body: { days: lasts === FOREVER ? null : Number(lasts) },
        }),
      ),
    onSuccess: async () => {
      revoke.reset()
      await again()
      notify(words.made)
    },
  })
  const revoke = useMutation({
    mutationFn: (share: string) =>
      api.DELETE('/api/runs/{run_id}/shares/{share_id}', {
        params: { path: { run_id: run, share_id: share } },
      }),
    onSuccess: async () => {
      make.reset()
      await again()
      notify(words.revoked)
    },
  })
  const problem = make.error ?? revoke.error ?? shares.error
  return (
    <>
      {shares.isPending ? <Working /> : null}
      {shares.data && shares.data.length > 0 ? (
        <ul className="flex flex-col gap-3">
          {shares.data.map((share) => (
            <ShareItem
              key={share.id}
              share={share}
              busy={revoke.isPending && revoke.variables === share.id}
              onRevoke={() => revoke.mutate(share.id)}
            />
          ))}
        </ul>
      ) : null}
      <div className="flex flex-wrap items-end gap-2">
        <Select
          label={words.works}
          options={[
            ...DAYS.map((days) => ({ key: String(days), label: words.forDays(days) })),
            { key: FOREVER, label: words.forever },
          ]}
          value={lasts}
          onChange={setLasts}
        />
        <Button
          variant="primary"
          isPending={make.isPending}
          onPress={() => make.mutate()}
          icon={<Link2 size={14} aria-hidden />}
        >
          {words.make}
        </Button>
      </div>
      {problem ? <ErrorPanel problem={toApiError(problem)} /> : null}
    </>
  )
}

interface ItemProps {
  share: Share
  busy: boolean
  onRevoke: () => void
}

function ShareItem({ share, busy, onRevoke }: Readonly<ItemProps>) {
  const now = useNow()
  const until = share.expires_at ? words.until(formatDateTime(share.expires_at)) : words.lasting
  return (
    <li className="flex flex-col gap-1.5">
      <Address url={`${globalThis.location.origin}${share.path}`}>
        <Button
          variant="danger"
          size="sm"
          isPending={busy}
          onPress={onRevoke}
          icon={<Unlink size={14} aria-hidden />}
        >
          {words.revoke}
        </Button>
      </Address>
      <p className="text-xs text-ink-3">
        {until}, {words.madeBy(share.created_by, formatAgo(share.created_at, now))}
      </p>
    </li>
  )
}

/** An address to copy; selectable, where the browser gives no clipboard. */
function Address({ url, children }: Readonly<{ url: string; children?: ReactNode }>) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        readOnly
        aria-label={words.address}
        value={url}
        onFocus={(event) => event.target.select()}
        className="h-8 min-w-40 flex-1 rounded-md border border-line bg-surface-2 px-2 font-mono text-xs"
      />
      <CopyButton text={url} label={words.copy} wide />
      {children}
    </div>
  )
}

interface PartProps {
  title: string
  help: string
  children: ReactNode
}

function Part({ title, help, children }: Readonly<PartProps>) {
  return (
    <section className="flex flex-col gap-3">
      <div>
        <h3 className="font-semibold">{title}</h3>
        <p className="text-ink-2">{help}</p>
      </div>
      {children}
    </section>
  )
}
