import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link2, Unlink } from 'lucide-react'
import { useRef, useState, type ReactNode } from 'react'

import { Button } from '@/components/button'
import { CopyButton } from '@/components/copy-button'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { useRun } from '@/components/run/run-context'
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

import { text as words } from '@/strings/share'

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
export function ShareDialog({ onClose }: Readonly<{ onClose: () => void }>) {
  const me = useMe()
  const id = useRun((state) => state.view.runId)
  const owner = useRun((state) => state.view.detail?.created_by ?? null)
  const over = useRun((state) => isEnded(state.view.status))
  const own = me !== undefined && (me.permissions.admin || owner === me.username)
  return (
    <Dialog isOpen title={words.title} onClose={onClose} wide>
      <div className="flex flex-col gap-6">
        <Part title={words.inside} help={words.insideHelp}>
          <Address url={globalThis.location.href} label={words.here} copy={words.copy} />
        </Part>
        {own && me.permissions.run ? (
          <Outside run={id} makes={me.permissions.share} over={over} />
        ) : null}
      </div>
    </Dialog>
  )
}

interface OutsideProps {
  run: string
  /** Whether links can be made here and open anything. */
  makes: boolean
  over: boolean
}

function Outside({ run, makes, over }: Readonly<OutsideProps>) {
  const shares = useQuery(sharesQuery(run))
  if (!makes && shares.data?.length === 0) return null
  return (
    <Part title={words.outside} help={makes ? words.outsideHelp : words.switchedOff}>
      {over ? <Links run={run} makes={makes} /> : <p className="text-ink-2">{words.active}</p>}
    </Part>
  )
}

function Links({ run, makes }: Readonly<Omit<OutsideProps, 'over'>>) {
  const client = useQueryClient()
  const shares = useQuery(sharesQuery(run))
  const [lasts, setLasts] = useState<string>(USUAL)
  const maker = useRef<HTMLButtonElement>(null)
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
      maker.current?.focus() // the button that was pressed is gone with its link
      notify(words.revoked)
    },
  })
  const problem = make.error ?? revoke.error ?? shares.error
  return (
    <>
      {shares.isPending ? <Working /> : null}
      {shares.data && shares.data.length > 0 ? (
        <ul className="flex flex-col gap-3">
          {shares.data.map((share, index) => (
            <ShareItem
              key={share.id}
              share={share}
              number={index + 1}
              busy={revoke.isPending && revoke.variables === share.id}
              onRevoke={() => revoke.mutate(share.id)}
            />
          ))}
        </ul>
      ) : null}
      {makes ? (
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
            ref={maker}
            variant="primary"
            isPending={make.isPending}
            onPress={() => make.mutate()}
            icon={Link2}
          >
            {words.make}
          </Button>
        </div>
      ) : null}
      {problem ? <ErrorPanel problem={toApiError(problem)} /> : null}
    </>
  )
}

interface ItemProps {
  share: Share
  number: number
  busy: boolean
  onRevoke: () => void
}

function ShareItem({ share, number, busy, onRevoke }: Readonly<ItemProps>) {
  const now = useNow()
  const until = share.expires_at ? words.until(formatDateTime(share.expires_at)) : words.lasting
  return (
    <li className="flex flex-col gap-1.5">
      <Address
        url={`${globalThis.location.origin}${share.path}`}
        label={words.addressOf(number)}
        copy={words.copyOf(number)}
      >
        <Button
          variant="danger"
          size="sm"
          aria-label={words.revokeOf(number)}
          isPending={busy}
          onPress={onRevoke}
          icon={Unlink}
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

interface AddressProps {
  url: string
  label: string
  copy: string
  children?: ReactNode
}

/** An address to copy; selectable, where the browser gives no clipboard. */
function Address({ url, label, copy, children }: Readonly<AddressProps>) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        readOnly
        aria-label={label}
        value={url}
        onFocus={(event) => event.target.select()}
        className="h-8 min-w-40 flex-1 rounded-md border border-line bg-surface-2 px-2 font-mono text-xs"
      />
      <CopyButton text={url} label={words.copy} name={copy} wide />
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
