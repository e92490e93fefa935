import { CloudOff, RefreshCw } from 'lucide-react'
import { useSyncExternalStore } from 'react'

import { Button } from '@/components/button'
import type { Connection } from '@/lib/stream/frames'
import { connectionStore } from '@/lib/stream/stream'
import { strings } from '@/strings/studio'

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
export function ConnectionBanner() {
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
