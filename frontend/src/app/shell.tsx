import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'

import { ErrorPanel } from '@/components/error-panel'
import { later } from '@/components/later'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { queries } from '@/lib/api/queries'
import { connectionStore } from '@/lib/stream/stream'
import { strings } from '@/strings/studio'

import { ConnectionBanner } from './connection-banner'
import { Rail } from './rail'
import { useScrollPlace } from './use-scroll-place'
import { useShortcuts } from './use-shortcuts'

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
        <ErrorPanel problem={toApiError(me.error)} onRetry={() => void me.refetch()} />
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
