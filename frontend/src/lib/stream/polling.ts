import {
  topicParts,
  type AnyFrame,
  type Envelope,
  type EvaluationDetail,
  type Frame,
  type JobDetail,
  type MetricFrame,
  type RunDetail,
} from './frames'

/** Resolves with the status and the JSON body; rejects when nothing answered. */
export type FetchJson = (url: string) => Promise<{ status: number; body: unknown }>

export type PollAnswer =
  | { readonly kind: 'frames'; readonly frames: readonly AnyFrame[] }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreachable' }
  /** The session has ended: it is so for every topic. */
  | { readonly kind: 'signed-out' }

interface Page<T> {
  readonly results: readonly T[]
  readonly next_after: string | number | null
}

interface EventPage extends Page<Envelope> {
  readonly ended: boolean
}

type StoredStep = Omit<MetricFrame, 'type' | 'job'>

/** The most that the API gives at once. */
const PAGE_SIZE = 5_000

/** What is new since `after`, through the JSON endpoints, as the frames the stream would send. */
export async function pollTopic(
  fetchJson: FetchJson,
  topic: string,
  after: string | null,
): Promise<PollAnswer> {
  const [kind, id] = topicParts(topic)
  const read = reader(fetchJson)
  try {
    if (kind === 'run') return await pollRun(read, id, after)
    if (kind === 'job') return await pollJob(read, id, after)
    const detail = (await read(`/api/evaluations/${id}`)) as EvaluationDetail
    return { kind: 'frames', frames: [{ type: 'evaluation', detail }] }
  } catch (error) {
    // Only the network throws anything else; the hub turns it into "offline" and keeps trying.
    return { kind: error instanceof Refused ? error.kind : 'unreachable' }
  }
}

/** Reads a body, or throws why there is none. */
type Read = (url: string) => Promise<unknown>

class Refused extends Error {
  constructor(readonly kind: 'gone' | 'unreachable' | 'signed-out') {
    super(kind)
  }
}

const reader =
  (fetchJson: FetchJson): Read =>
  async (url) => {
    const { status, body } = await fetchJson(url)
    if (status === 200) return body
    if (status === 401) throw new Refused('signed-out')
    throw new Refused([403, 404, 410].includes(status) ? 'gone' : 'unreachable')
  }

async function pollRun(read: Read, run: string, after: string | null): Promise<PollAnswer> {
  const pages = await pagesOf<Envelope, EventPage>(read, `/api/runs/${run}/events`, after)
  const detail = (await read(`/api/runs/${run}`)) as RunDetail
  const ended = pages.at(-1)?.ended ?? false
  const traces = pages.flatMap(({ results }) =>
    results.map((envelope): Frame => ({ type: 'trace', run, ...envelope })),
  )
  return { kind: 'frames', frames: [...traces, { type: ended ? 'end' : 'status', run, detail }] }
}

/** The job is read before its steps: a job that has ended then has all of them. */
async function pollJob(read: Read, id: string, after: string | null): Promise<PollAnswer> {
  const detail = (await read(`/api/training-jobs/${id}`)) as JobDetail
  const pages = await pagesOf<StoredStep, Page<StoredStep>>(
    read,
    `/api/training-jobs/${id}/metrics`,
    after,
  )
  const metrics = pages.flatMap(({ results }) =>
    results.map((step): MetricFrame => ({ type: 'metric', job: id, ...step })),
  )
  return { kind: 'frames', frames: [...metrics, { type: 'job', detail }] }
}

/** Page after page until one is not full. */
async function pagesOf<T, P extends Page<T>>(
  read: Read,
  url: string,
  after: string | null,
): Promise<P[]> {
  const pages: P[] = []
  let place = after
  for (;;) {
    const query = new URLSearchParams({
      page_size: String(PAGE_SIZE),
      ...(place === null ? {} : { after: place }),
    })
    const page = (await read(`${url}?${query.toString()}`)) as P
    pages.push(page)
    if (page.results.length < PAGE_SIZE || page.next_after === null) return pages
    place = String(page.next_after)
  }
}
