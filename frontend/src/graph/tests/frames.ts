/** Frames for tests: the recordings, and a few builders for what they do not hold. */
import { FAMILIES } from '@/families/all'
import type { DeltaFrame, Frame, RunDetail, RunEvent, TraceFrame } from '@/graph/frames'
import { applyFrame as applied } from '@/graph/run-state'
import { currentAttempt, emptyRun, type AttemptView, type RunView } from '@/graph/run-view'

import lostAttempt from './fixtures/lost-attempt.json'
import mashost from './fixtures/mashost.json'
import selfConsistency from './fixtures/self-consistency.json'
import learnedSubtasks from './fixtures/task-graph-learned.json'
import script from './fixtures/script.json'
import givenScript from './fixtures/script-given.json'
import stages from './fixtures/stages.json'
import votedSubtasks from './fixtures/task-graph-voted.json'

const RECORDINGS = {
  mashost,
  'self-consistency': selfConsistency,
  'lost-attempt': lostAttempt,
  // Made by tests/browser/scripts.py.
  script,
  'script-given': givenScript,
  // Made by tests/browser/stages.py.
  stages,
  // Made by tests/browser/task_graphs.py with the solver itself.
  'subtasks-voted': votedSubtasks,
  'subtasks-learned': learnedSubtasks,
}

export type Recording = keyof typeof RECORDINGS

export function recording(name: Recording): Frame[] {
  return RECORDINGS[name] as unknown as Frame[]
}

/** As the pages do, with every family. */
export const applyFrame = (view: RunView, frame: Frame): RunView => applied(view, frame, FAMILIES)

export function replay(frames: readonly Frame[]): RunView {
  return frames.reduce(applyFrame, emptyRun(frames[0]?.run ?? ''))
}

/** The attempt of a run that has one. */
export function attemptIn(view: RunView): AttemptView {
  const attempt = currentAttempt(view)
  if (!attempt) throw new Error('no attempt')
  return attempt
}

export function trace(seq: number, event: RunEvent, attempt = 1): TraceFrame {
  return { type: 'trace', run: 'r', attempt, seq, id: `${attempt}.${seq}`, event }
}

export function delta(agent: string, offset: number, text: string, attempt = 1): DeltaFrame {
  return { type: 'delta', run: 'r', attempt, agent_id: agent, text, offset }
}

export function agentStarted(id: string, at: number, reads: string[] = []): RunEvent {
  return {
    event: 'agent_started',
    at,
    agent_id: id,
    role_key: 'planner',
    role_name: 'Planner',
    family: 'planning',
    reads,
    endpoint: 'embedded',
    prompt: [{ role: 'user', content: 'Question' }],
    summary: false,
  }
}

export function agentFinished(id: string, at: number): RunEvent {
  return {
    event: 'agent_finished',
    at,
    agent_id: id,
    message: 'Done.',
    thoughts: '',
    answer: null,
    refused: false,
    usage: { prompt_tokens: 10, completion_tokens: 5, cost: null },
    seconds: 1,
    calls: 1,
    retries: 0,
    failed_tries: [],
    cached_calls: 0,
    cached: false,
    reused: false,
    truncated: false,
    cut_calls: 0,
    token_limit: 1_024,
    limited_by: 'call',
    own_temperature: false,
    given: null,
  }
}

export function detailOf(frames: readonly Frame[]): RunDetail {
  const frame = frames.find((other) => other.type === 'status')
  if (frame?.type !== 'status') throw new Error('the recording holds no status frame')
  return frame.detail
}

/** The recording as its second attempt, which took over the first `finished` stages of a lost one. */
export function takenUpAfter(finished: number): Frame[] {
  let ended = 0
  return recording('stages').flatMap((frame): Frame[] => {
    if (frame.type !== 'trace') return [frame]
    const { seq, event } = frame
    const seen = ended
    if (event.event === 'stage_ended') ended += 1
    const told = trace(seen < finished ? seq : seq + 1, event, 2)
    if (ended === seen || ended !== finished) return [{ ...frame, ...told, run: frame.run }]
    const at = { event: 'run_taken_up', at: event.at, attempt: 1, events: seq - 1, parts: finished }
    const marked = trace(seq + 1, at as RunEvent, 2)
    return [told, marked].map((each) => ({ ...each, run: frame.run }))
  })
}
