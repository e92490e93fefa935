/** A sampled system as frames of a run, so that the canvas of the run page can draw it. */
import type { Frame, RunEvent } from '@/graph/frames'

import type { Sample, Training } from './use-training'

const UNKNOWN_USAGE = { prompt_tokens: null, completion_tokens: null, cost: null }

type Finished = Extract<RunEvent, { event: 'run_finished' }>
type Started = Extract<RunEvent, { event: 'run_started' }>

/** What is drawn of a sample, or of anything else that a training keeps like one. */
export type System = Pick<Sample, 'query' | 'answer' | 'events' | 'graph'> & {
  readonly id: number | string
}

export const sampleRunId = (sample: System): string => `sample-${sample.id}`

/** The stored trace holds what happened in between; start and end are told by the sample itself. */
export function sampleFrames(sample: System, job: Training): Frame[] {
  const events = sample.events as unknown as RunEvent[]
  const all = [startOf(sample, job, events), ...events, endOf(sample, events)]
  return all.map((event, index) => ({
    type: 'trace',
    run: sampleRunId(sample),
    attempt: 1,
    seq: index + 1,
    id: `1.${index + 1}`,
    event,
  }))
}

const startOf = (sample: System, job: Training, events: readonly RunEvent[]): Started => ({
  event: 'run_started',
  at: events[0]?.at ?? 0,
  method: job.method,
  query: sample.query,
  seed: job.seed,
  endpoint: job.endpoint ?? '',
  model: job.model ?? '',
  pool: job.pool,
  pool_version: job.pool_version,
  checkpoint: job.start_from,
  trained: null,
})

const endOf = (sample: System, events: readonly RunEvent[]): Finished => ({
  event: 'run_finished',
  at: events.at(-1)?.at ?? 0,
  answer: sample.answer,
  message: '',
  graph: sample.graph as unknown as Finished['graph'],
  usage: UNKNOWN_USAGE,
  // Not stored with a sample; shown nowhere, and if it were, as unknown.
  seconds: Number.NaN,
})
