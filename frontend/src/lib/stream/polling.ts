import type { Envelope, Frame, RunDetail } from './frames'

/** Resolves with the status and the JSON body; rejects when nothing answered. */
export type FetchJson = (url: string) => Promise<{ status: number; body: unknown }>

export type PollAnswer =
  | { readonly kind: 'frames'; readonly frames: readonly Frame[] }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreachable' }

interface EventPage {
  readonly results: readonly Envelope[]
  readonly next_after: string | null
  readonly ended: boolean
}

const PAGE_SIZE = 1_000

/** What is new in a run since `after`, through the JSON endpoints, as the frames the stream would send. */
export async function pollRun(
  fetchJson: FetchJson,
  run: string,
  after: string | null,
): Promise<PollAnswer> {
  try {
    const query = new URLSearchParams({ page_size: String(PAGE_SIZE), ...(after ? { after } : {}) })
    const events = await fetchJson(`/api/runs/${run}/events?${query.toString()}`)
    if (isGone(events.status)) return { kind: 'gone' }
    if (events.status !== 200) return { kind: 'unreachable' }
    const page = events.body as EventPage
    const detail = await fetchJson(`/api/runs/${run}`)
    if (detail.status !== 200) return { kind: isGone(detail.status) ? 'gone' : 'unreachable' }
    return { kind: 'frames', frames: framesOf(run, page, detail.body as RunDetail) }
  } catch {
    // Only the network throws here; the hub turns it into "offline" and keeps trying.
    return { kind: 'unreachable' }
  }
}

const isGone = (status: number): boolean => [401, 403, 404, 410].includes(status)

function framesOf(run: string, page: EventPage, detail: RunDetail): Frame[] {
  return [
    ...page.results.map((envelope): Frame => ({ type: 'trace', run, ...envelope })),
    { type: page.ended ? 'end' : 'status', run, detail },
  ]
}
