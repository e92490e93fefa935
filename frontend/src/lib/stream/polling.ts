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

interface EventPage {
  readonly results: readonly Envelope[]
  readonly next_after: string | null
  readonly ended: boolean
}

const PAGE_SIZE = 1_000

/** What is new since `after`, through the JSON endpoints, as the frames the stream would send. */
export async function pollTopic(
  fetchJson: FetchJson,
  topic: string,
  after: string | null,
): Promise<PollAnswer> {
  const [kind, id] = topicParts(topic)
  try {
    if (kind === 'run') return await pollRun(fetchJson, id, after)
    if (kind === 'job') return await pollJob(fetchJson, id, after)
    return await pollEvaluation(fetchJson, id)
  } catch {
    // Only the network throws here; the hub turns it into "offline" and keeps trying.
    return { kind: 'unreachable' }
  }
}

async function pollRun(
  fetchJson: FetchJson,
  run: string,
  after: string | null,
): Promise<PollAnswer> {
  const query = new URLSearchParams({ page_size: String(PAGE_SIZE), ...(after ? { after } : {}) })
  const events = await fetchJson(`/api/runs/${run}/events?${query.toString()}`)
  if (isGone(events.status)) return { kind: 'gone' }
  if (events.status !== 200) return { kind: 'unreachable' }
  const page = events.body as EventPage
  const detail = await fetchJson(`/api/runs/${run}`)
  if (detail.status !== 200) return { kind: isGone(detail.status) ? 'gone' : 'unreachable' }
  return { kind: 'frames', frames: framesOf(run, page, detail.body as RunDetail) }
}

/** The job is read before its steps: a job that has ended then has all of them. */
async function pollJob(
  fetchJson: FetchJson,
  id: string,
  after: string | null,
): Promise<PollAnswer> {
  const job = await fetchJson(`/api/training-jobs/${id}`)
  if (job.status !== 200) return { kind: isGone(job.status) ? 'gone' : 'unreachable' }
  const query = after === null ? '' : `?after=${after}`
  const steps = await fetchJson(`/api/training-jobs/${id}/metrics${query}`)
  if (steps.status !== 200) return { kind: 'unreachable' }
  const { results } = steps.body as { results: readonly Omit<MetricFrame, 'type' | 'job'>[] }
  const metrics = results.map((step): MetricFrame => ({ type: 'metric', job: id, ...step }))
  const detail = job.body as JobDetail
  return { kind: 'frames', frames: [...metrics, { type: 'job', detail }] }
}

async function pollEvaluation(fetchJson: FetchJson, id: string): Promise<PollAnswer> {
  const answer = await fetchJson(`/api/evaluations/${id}`)
  if (answer.status !== 200) return { kind: isGone(answer.status) ? 'gone' : 'unreachable' }
  const detail = answer.body as EvaluationDetail
  return { kind: 'frames', frames: [{ type: 'evaluation', detail }] }
}

const isGone = (status: number): boolean => [401, 403, 404, 410].includes(status)

function framesOf(run: string, page: EventPage, detail: RunDetail): Frame[] {
  return [
    ...page.results.map((envelope): Frame => ({ type: 'trace', run, ...envelope })),
    { type: page.ended ? 'end' : 'status', run, detail },
  ]
}
