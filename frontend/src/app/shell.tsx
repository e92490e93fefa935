import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CloudOff, RefreshCw } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react'
import { Navigate, Outlet, useLocation, useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { later } from '@/components/later'
import { QueryError } from '@/components/query-state'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { queries } from '@/lib/api/queries'
import { isOverPage, isTyping } from '@/lib/is-typing'
import type { Connection } from '@/lib/stream/frames'
import { connectionStore } from '@/lib/stream/stream'
import { strings } from '@/strings/studio'

import { places } from './places'
import { Rail } from './rail'
import { useScrollPlace } from './use-scroll-place'

const Palette = later(async () => (await import('./palette')).Palette, { waiting: () => null })
/** Fetched when the page has long been drawn, so that nobody types into nothing. */
const PALETTE_AFTER_MS = 1_500

/** Rail, banner and page. Whoever is not logged in is sent to the login page and back. */
export function Shell() {
  const me = useQuery(queries.me)
  const location = useLocation()
  const [palette, setPalette] = useState(false)
  useShortcuts(() => setPalette(true))
  useEffect(() => {
    const timer = setTimeout(() => void Palette.prepare(), PALETTE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  useSessionEnd()
  useScrollPlace()

  if (me.isPending) return <WorkingBlock />
  if (me.isError && [401, 403].includes(toApiError(me.error).status)) {
    const next = `${location.pathname}${location.search}`
    return (
      <Navigate to={next === '/' ? '/login' : `/login?next=${encodeURIComponent(next)}`} replace />
    )
  }
  if (!me.data)
    return (
      <div className="mx-auto max-w-xl p-6">
        <QueryError of={me} />
      </div>
    )
  return (
    <div className="flex min-h-dvh flex-col sm:flex-row">
      <a
        href="#main"
        className="sr-only rounded-md bg-accent text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:px-3 focus:py-2"
      >
        {strings.skipLink}
      </a>
      <Rail me={me.data} onPalette={() => setPalette(true)} />
      {palette ? <Palette onClose={() => setPalette(false)} /> : null}
      <div className="flex min-w-0 flex-1 flex-col pb-14 sm:pb-0 sm:pl-[var(--rail-width)]">
        <ConnectionBanner />
        <main id="main" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          <Outlet />
        </main>
      </div>
    </div>
  )
}

/** A page that only listens asks for nothing: the stream tells it that the session has ended. */
function useSessionEnd(): void {
  const client = useQueryClient()
  const connection = useSyncExternalStore(connectionStore.watch, connectionStore.get)
  useEffect(() => {
    if (connection === 'signed-out')
      void client.invalidateQueries({ queryKey: queries.me.queryKey })
  }, [client, connection])
}

const messages: Partial<Record<Connection, string>> = {
  reconnecting: strings.connection.reconnecting,
  polling: strings.connection.polling,
  offline: strings.connection.offline,
}

const onlineStore = {
  get: (): boolean => navigator.onLine,
  watch: (watcher: () => void): (() => void) => {
    globalThis.addEventListener('online', watcher)
    globalThis.addEventListener('offline', watcher)
    return () => {
      globalThis.removeEventListener('online', watcher)
      globalThis.removeEventListener('offline', watcher)
    }
  },
}

/** Says when what is on the page may be behind what happens on the server. */
function ConnectionBanner() {
  const connection = useSyncExternalStore(connectionStore.watch, connectionStore.get)
  const online = useSyncExternalStore(onlineStore.watch, onlineStore.get)
  const message = online ? messages[connection] : strings.connection.offline
  return (
    <div role="status" className="contents">
      {message ? (
        <div className="flex items-center gap-2 border-b border-line bg-warn-soft px-4 py-1.5 text-xs font-medium text-warn sm:px-6">
          {connection === 'reconnecting' ? (
            <RefreshCw size={14} aria-hidden />
          ) : (
            <CloudOff size={14} aria-hidden />
          )}
          <span className="flex-1">{message}</span>
          <Button variant="quiet" size="sm" onPress={connectionStore.retry}>
            {strings.connection.retry}
          </Button>
        </div>
      ) : null}
    </div>
  )
}

const GO: Readonly<Record<string, string>> = {
  ...Object.fromEntries(places.map(({ letter, to }) => [letter, to])),
  t: '/tokens',
}
const SEQUENCE_MS = 1_200

const isPalette = (event: KeyboardEvent): boolean =>
  (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k'

/**
 * Ctrl K opens the palette, also out of a field; `/` goes to the page's query or search field; `g` then a
 * letter goes to a page.
 */
function useShortcuts(openPalette: () => void): void {
  const navigate = useNavigate()
  const goPressedAt = useRef(Number.NEGATIVE_INFINITY)
  const open = useEffectEvent(openPalette)
  useEffect(() => {
    const handle = (event: KeyboardEvent): void => {
      if (isPalette(event)) {
        event.preventDefault()
        open()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey) return
      // What is typed into the palette arrives twice: at its field, and at the item it has chosen.
      if (isTyping(event.target) || isOverPage(event.target)) return
      if (event.key === '/') {
        const field = document.querySelector<HTMLElement>('[data-slash-focus] :is(textarea, input)')
        if (field) {
          event.preventDefault()
          field.focus()
        } else void navigate('/')
        return
      }
      const page = event.timeStamp - goPressedAt.current < SEQUENCE_MS ? GO[event.key] : undefined
      goPressedAt.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (page) void navigate(page)
    }
    document.addEventListener('keydown', handle)
    return () => document.removeEventListener('keydown', handle)
  }, [navigate])
}
