/** Holds the one event stream of all tabs: browsers allow six connections to a host. */
import { browserHub } from './browser-hub'
import type { Connection } from './frames'
import type { FromWorker, ToWorker } from './protocol'

const ports = new Set<MessagePort>()
let connection: Connection = 'idle'

const hub = browserHub((next) => {
  connection = next
  for (const port of ports) send(port, { type: 'connection', connection })
})

const send = (port: MessagePort, message: FromWorker): void => port.postMessage(message)

function serve(port: MessagePort): void {
  const subscriptions = new Map<string, () => void>()
  const leave = (): void => {
    for (const stop of subscriptions.values()) stop()
    subscriptions.clear()
    ports.delete(port)
  }
  const handle = (message: ToWorker): void => {
    switch (message.type) {
      case 'hello':
        // The tab holds this lock as long as it lives: getting it means that the tab is gone.
        void navigator.locks.request(message.lock, leave)
        break
      case 'subscribe':
        ports.add(port)
        subscriptions.get(message.topic)?.()
        subscriptions.set(
          message.topic,
          hub.subscribe(
            message.topic,
            (frames) => send(port, { type: 'frames', topic: message.topic, frames }),
            {
              after: message.after,
              onGone: () => send(port, { type: 'gone', topic: message.topic }),
            },
          ),
        )
        break
      case 'unsubscribe':
        subscriptions.get(message.topic)?.()
        subscriptions.delete(message.topic)
        break
      case 'retry':
        hub.retry()
        break
      case 'bye':
        leave()
    }
  }
  ports.add(port)
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => handle(data)
  send(port, { type: 'connection', connection })
}

globalThis.addEventListener('connect', (event) => {
  for (const port of (event as MessageEvent).ports) serve(port)
})
