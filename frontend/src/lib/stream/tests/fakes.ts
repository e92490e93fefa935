import { vi } from 'vitest'

import type { AnyFrame, Connection, RunDetail } from '@/lib/stream/frames'
import { StreamHub, type Source } from '@/lib/stream/hub'

/** Follows EventSource: after `close` it delivers nothing. */
export class FakeSource implements Source {
  private readonly listeners = new Map<string, ((event: { data?: unknown }) => void)[]>()
  closed = false

  constructor(readonly url: string) {}

  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void {
    this.listeners.set(type, [...(this.listeners.get(type) ?? []), listener])
  }

  close(): void {
    this.closed = true
  }

  emit(type: string, body?: unknown): void {
    if (this.closed) return
    for (const listener of this.listeners.get(type) ?? []) listener({ data: JSON.stringify(body) })
  }

  get query(): URLSearchParams {
    return new URL(this.url, 'http://studio.test').searchParams
  }
}

/** Those that the page opens from now on. */
export function stubSources(): FakeSource[] {
  const sources: FakeSource[] = []
  vi.stubGlobal(
    'EventSource',
    class extends FakeSource {
      constructor(url: string) {
        super(url)
        sources.push(this)
      }
    },
  )
  return sources
}

export const trace = (run: string, id: string) => {
  const [attempt, seq] = id.split('.').map(Number)
  return {
    run,
    id,
    attempt,
    seq,
    event: { event: 'intermediate_answer', step: 1, answer: id, agent_id: null, at: 0 },
  }
}

export const detail = (run: string, status: string): RunDetail =>
  ({ id: run, status }) as unknown as RunDetail

export const snapshot = (run: string, ids: string[]) => ({
  run,
  detail: detail(run, 'running'),
  events: ids.map((id) => trace(run, id)),
  partial: {},
})

export interface Bench {
  hub: StreamHub
  sources: FakeSource[]
  latest: () => FakeSource
  connections: Connection[]
  fetched: string[]
}

type Answer = { status: number; body: unknown } | 'down'

/** A hub on fakes; `answer` plays the JSON API, `arrive` says when what it answers is there. */
export function bench(
  answer: (url: string) => Answer = () => 'down',
  arrive: (reply: Exclude<Answer, 'down'>) => Promise<Exclude<Answer, 'down'>> = (reply) =>
    Promise.resolve(reply),
): Bench {
  const sources: FakeSource[] = []
  const connections: Connection[] = []
  const fetched: string[] = []
  const hub = new StreamHub({
    openSource: (url) => {
      const source = new FakeSource(url)
      sources.push(source)
      return source
    },
    fetchJson: (url) => {
      fetched.push(url)
      const reply = answer(url)
      return reply === 'down' ? Promise.reject(new TypeError('down')) : arrive(reply)
    },
    onConnection: (connection) => connections.push(connection),
  })
  const latest = (): FakeSource => {
    const source = sources.at(-1)
    if (!source) throw new Error('no stream was opened')
    return source
  }
  return { hub, sources, latest, connections, fetched }
}

/** A listener that keeps the frames it got, in order. */
export function recorder() {
  const frames: AnyFrame[] = []
  const listener = vi.fn((batch: readonly AnyFrame[]) => {
    frames.push(...batch)
  })
  return { frames, listener }
}
