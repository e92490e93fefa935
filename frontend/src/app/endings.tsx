import { useQuery } from '@tanstack/react-query'
import { Bell, CircleAlert, CircleCheck, Hand } from 'lucide-react'
import { useEffect, useEffectEvent, useRef } from 'react'
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components'
import { Link, useLocation } from 'react-router'

import { Ago } from '@/components/ago'
import { cx } from '@/components/cx'
import { QueryError } from '@/components/query-state'
import { Working } from '@/components/working'
import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { useChange } from '@/lib/api/use-change'
import { strings } from '@/strings/studio'
import { notify, notifyProblem } from '@/lib/toasts'
import { setTitleMark } from '@/lib/use-title'

const words = strings.endings
const EVERY_MS = 20_000

type Ending = components['schemas']['Ending']

const QUERY_KEY = ['me', 'endings'] as const
const PLACES = { training: 'training', evaluation: 'evaluations', run: 'runs' } as const
const LOOKS = {
  succeeded: [CircleCheck, 'text-good'],
  failed: [CircleAlert, 'text-bad'],
  waiting: [Hand, 'text-warn'],
} as const
const addressOf = ({ kind, id }: Ending): string => `/${PLACES[kind]}/${id}`

/** A bell that tells what of mine has ended or waits for me, when it does, and in the tab's title. */
export function EndingsBell() {
  const endings = useQuery({
    queryKey: QUERY_KEY,
    queryFn: () => unwrap(api.GET('/api/me/endings')),
    refetchInterval: EVERY_MS,
    refetchIntervalInBackground: true,
  })
  const see = useChange(
    (until: string) => api.POST('/api/me/endings/seen', { body: { until } }),
    [QUERY_KEY],
  )
  const { pathname } = useLocation()
  // What a person looks at is no news to them: a run led step by step waits at every one.
  const fresh = endings.data?.filter((each) => !each.seen && addressOf(each) !== pathname) ?? []
  useNews(endings.data)
  useEffect(() => setTitleMark(fresh.length), [fresh.length])
  const newest = endings.data?.[0]
  return (
    <DialogTrigger
      onOpenChange={(open) => {
        if (!open && newest && fresh.length > 0) see.mutate(newest.at)
      }}
    >
      <Button
        aria-label={fresh.length > 0 ? words.fresh(fresh.length) : words.title}
        className={cx(
          'flex w-12 flex-col items-center justify-center gap-0.5 rounded-md text-xs font-medium text-ink-2 hover:text-ink',
          'sm:h-8 sm:w-full sm:flex-row sm:justify-start sm:gap-2.5 sm:px-2 sm:text-sm sm:hover:bg-surface-2',
        )}
      >
        <span className="relative">
          <Bell size={16} aria-hidden />
          {fresh.length > 0 ? (
            // Drawn by the style sheet: it is no part of the words that the button is called by.
            <span
              aria-hidden
              data-count={fresh.length}
              className="absolute -top-1.5 -right-2 grid h-3.5 min-w-3.5 place-items-center rounded-full bg-accent px-0.5 text-[0.625rem] leading-none font-semibold text-accent-ink before:content-[attr(data-count)]"
            />
          ) : null}
        </span>
        <span className="max-sm:hidden">{words.title}</span>
      </Button>
      <Popover
        placement="top start"
        className="w-80 max-w-[calc(100vw-1.5rem)] rounded-lg border border-line bg-surface-1 shadow-float"
      >
        <Dialog aria-label={words.title} className="max-h-96 overflow-auto p-1 outline-none">
          {({ close }) => (
            <>
              {endings.isPending ? <Working /> : null}
              {endings.error ? <QueryError of={endings} /> : null}
              {endings.data?.length === 0 ? (
                <p className="p-3 text-sm text-ink-2">{words.none}</p>
              ) : null}
              <ul>
                {endings.data?.map((ending) => (
                  <Row key={ending.id} ending={ending} onOpen={close} />
                ))}
              </ul>
              <Link
                to="/webhooks"
                onClick={close}
                className="block rounded-md px-2.5 py-2 text-xs text-ink-2 hover:bg-surface-2"
              >
                {words.elsewhere}
              </Link>
            </>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}

function Row({ ending, onOpen }: Readonly<{ ending: Ending; onOpen: () => void }>) {
  const [Icon, tone] = LOOKS[ending.status]
  return (
    <li>
      <Link
        to={addressOf(ending)}
        onClick={onOpen}
        className="grid grid-cols-[1rem_1fr] items-start gap-x-2 rounded-md px-2.5 py-2 text-sm hover:bg-surface-2"
      >
        <Icon size={16} aria-hidden className={cx('mt-0.5', tone)} />
        <span className="min-w-0">
          <span className={cx('block truncate', !ending.seen && 'font-semibold')}>
            {ending.name}
          </span>
          <span className="block text-xs text-ink-3">
            {words.said[ending.kind][ending.status]} <Ago at={ending.at} />
          </span>
        </span>
      </Link>
    </li>
  )
}

/** Says what has ended or begun to wait while the page is open; the rest is in the list. */
function useNews(endings: readonly Ending[] | undefined): void {
  const { pathname } = useLocation()
  const isHere = useEffectEvent((address: string) => address === pathname)
  const known = useRef<ReadonlySet<string> | null>(null)
  useEffect(() => {
    if (!endings) return
    const before = known.current
    known.current = new Set(endings.map((each) => `${each.id} ${each.at}`))
    if (!before) return
    for (const each of endings) {
      if (each.seen || before.has(`${each.id} ${each.at}`) || isHere(addressOf(each))) continue
      const message = `${each.name}: ${words.said[each.kind][each.status]}`
      const link = { to: addressOf(each), label: words.look }
      if (each.status === 'failed') notifyProblem({ message, remedy: '' }, link)
      else notify(message, link)
    }
  }, [endings])
}
