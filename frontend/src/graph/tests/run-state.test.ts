import { describe, expect, it } from 'vitest'

import { constructionOf } from '@/families/construction/steps'
import { FAMILIES } from '@/families/all'
import type { Envelope, Frame, RunEvent, SnapshotFrame } from '@/graph/frames'
import { readableText } from '@/graph/live-text'
import { emptyRun, type RunView } from '@/graph/run-view'
import { tokensOf, totalsOf } from '@/graph/totals'
import { traceTree } from '@/graph/tree'

import {
  agentFinished,
  agentStarted,
  attemptIn as current,
  delta,
  detailOf,
  recording,
  replay,
  trace,
  applyFrame,
} from './frames'

const agentIn = (view: RunView, id: string) => {
  const agent = current(view).agents.get(id)
  if (!agent) throw new Error(`no agent ${id}`)
  return agent
}

/** Seeded, so that a failure can be repeated. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const copy = [...items]
  let state = seed
  for (let index = copy.length - 1; index > 0; index -= 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    const other = state % (index + 1)
    ;[copy[index], copy[other]] = [copy[other] as T, copy[index] as T]
  }
  return copy
}

function snapshotOf(frames: readonly Frame[], partial: Record<string, string> = {}): SnapshotFrame {
  const events = frames.flatMap((frame): Envelope[] =>
    frame.type === 'trace'
      ? [{ attempt: frame.attempt, seq: frame.seq, id: frame.id, event: frame.event }]
      : [],
  )
  return {
    type: 'snapshot',
    run: frames[0]?.run ?? '',
    detail: detailOf(frames),
    events,
    partial,
  }
}

describe('a MasHost run with a deletion, a refusal, tools and a failure', () => {
  const frames = recording('mashost')
  const view = replay(frames)

  it('ends with its answer', () => {
    expect(view.status).toBe('succeeded')
    expect(current(view).outcome?.answer).toBe('90')
  })

  it('tells the state of every agent', () => {
    const states = [...current(view).agents.values()].map(({ id, status }) => `${id} ${status}`)
    expect(states).toEqual([
      'a1 done',
      'a2 done',
      'a3 removed',
      'a4 done',
      'a5 failed',
      'a6 done',
      'summary done',
    ])
    expect(agentIn(view, 'a3').outcome).toBe('refused')
    expect(agentIn(view, 'summary').summary).toBe(true)
  })

  it('counts the team as the runs list does: without the deleted agent and the summary', () => {
    expect(totalsOf(view).agents).toBe(5)
  })

  it("keeps every action's probability and the masks", () => {
    const [first] = constructionOf(current(view)).steps
    expect(first?.candidates).toHaveLength(34)
    expect(first?.candidates.filter((other) => other.masked).map((other) => other.action)).toEqual([
      'DELETE',
      'EXIT',
    ])
    expect(constructionOf(current(view)).steps.map((step) => step.kind)).toEqual([
      ...'add add add delete add add add exit'.split(' '),
    ])
  })

  it('draws only chosen edges, with the probability they were drawn with', () => {
    const toProgrammer = current(view).edges.filter((edge) => edge.target === 'a4')
    expect(toProgrammer).toEqual([
      { id: 'a1→a4', source: 'a1', target: 'a4', probability: 0.63, back: false },
    ])
    expect(constructionOf(current(view)).steps[4]?.edges).toHaveLength(2)
  })

  it('pairs tool calls with their results', () => {
    const [python] = agentIn(view, 'a4').tools
    expect(python).toMatchObject({ tool: 'python', ok: true, output: '90.0\n', seconds: 0.141 })
  })

  it('keeps what a failed agent had written until then', () => {
    expect(current(view).live.get('a5')?.text).toContain('Chairs per worker')
    expect(agentIn(view, 'a5').failure?.remedy).not.toBe('')
  })

  it('has what a failed agent had written from the event alone, as after a reload', () => {
    const usage = { prompt_tokens: null, completion_tokens: null, cost: null }
    const failure = { code: 'stream_interrupted', message: 'Cut off.', remedy: 'Try again.' }
    const reloaded = replay([
      trace(1, agentStarted('a1', 1)),
      trace(2, {
        ...{ event: 'agent_failed', at: 2, agent_id: 'a1', failure, usage, seconds: 1 },
        written: 'First, the loaves',
        failed_tries: [{ code: 'timeout', message: 'No answer.' }],
        cut_calls: 0,
      }),
    ])
    expect(agentIn(reloaded, 'a1').failedTries).toHaveLength(1)
    expect(current(reloaded).live.get('a1')?.text).toBe('First, the loaves')
  })

  it('tells an answer that was cut with its limit, and of an older event that nobody told', () => {
    const cut = { truncated: true, cut_calls: 2, token_limit: 192, limited_by: 'call' } as const
    const older: object = agentFinished('a2', 2)
    for (const name of ['cut_calls', 'token_limit', 'limited_by', 'own_temperature'])
      Reflect.deleteProperty(older, name)
    const told = replay([
      trace(1, agentStarted('a1', 1)),
      trace(2, { ...agentFinished('a1', 2), ...cut }),
      trace(3, agentStarted('a2', 1)),
      trace(4, older as RunEvent),
    ])
    expect(agentIn(told, 'a1')).toMatchObject({ cutCalls: 2, tokenLimit: 192, limitedBy: 'call' })
    expect(agentIn(told, 'a2')).toMatchObject({ cutCalls: null, tokenLimit: null, limitedBy: null })
    expect(agentIn(told, 'a2').ownTemperature).toBe(false)
  })

  it('takes an event that was stored before causes were told', () => {
    const before: object = agentFinished('a1', 2)
    Reflect.deleteProperty(before, 'failed_tries')
    const frames = [trace(1, agentStarted('a1', 1)), trace(2, before as RunEvent)]
    expect(agentIn(replay(frames), 'a1').failedTries).toEqual([])
  })

  it("leaves the run's tokens unknown when one call's are", () => {
    expect(tokensOf(totalsOf(view).usage)).toBeNull()
    expect(tokensOf(agentIn(view, 'a2').usage)).toBe(295)
  })

  it('is the same run when its answer was verified before the end', () => {
    const end = frames.findIndex(
      (frame) => frame.type === 'trace' && frame.event.event === 'run_finished',
    )
    const finish = frames[end]
    if (finish?.type !== 'trace') throw new Error('the recording has no end')
    const verdict: RunEvent = {
      event: 'answer_verified',
      at: finish.event.at,
      verifier: 'numeric',
      correct: true,
      reward: 1,
      explanation: 'The answer is “90”.',
    }
    const verified: Frame = { ...finish, event: verdict }
    const later: Frame = {
      ...finish,
      seq: finish.seq + 1,
      id: `${finish.attempt}.${finish.seq + 1}`,
    }
    const judged = replay([...frames.slice(0, end), verified, later, ...frames.slice(end + 1)])
    expect(judged.status).toBe('succeeded')
    expect(current(judged).outcome).toEqual(current(view).outcome)
    expect([...current(judged).agents.keys()]).toEqual([...current(view).agents.keys()])
  })

  it('does not change when frames come twice', () => {
    expect(frames.reduce(applyFrame, view)).toEqual(view)
    const traces = frames.filter((frame) => frame.type === 'trace')
    expect(traces.reduce(applyFrame, view)).toBe(view)
  })

  it.each([1, 2, 3])('is the same whatever the order of its events (seed %i)', (seed) => {
    const traces = frames.filter((frame) => frame.type === 'trace')
    const inOrder = replay(traces)
    const mixed = shuffled(traces, seed)
    expect(current(replay(mixed))).toEqual(current(inOrder))
  })

  it('is the same from a snapshot as from the live stream', () => {
    const fromSnapshot = replay([snapshotOf(frames)])
    const { live, ...stored } = current(view)
    expect(current(fromSnapshot)).toEqual({ ...stored, live: new Map() })
    expect([...live.keys()]).toEqual(['a5'])
  })
})

describe('streamed text', () => {
  const started = replay([trace(1, agentStarted('a', 1))])
  const text = (view: RunView) => {
    const live = current(view).live.get('a')
    return live ? readableText(live) : null
  }

  it('grows piece by piece and ignores repeats and overlaps', () => {
    const view = [
      delta('a', 0, 'One '),
      delta('a', 4, 'two'),
      delta('a', 4, 'two'),
      delta('a', 2, 'e two three'),
    ].reduce(applyFrame, started)
    expect(text(view)).toBe('One two three')
  })

  it('waits for what a gap swallowed', () => {
    const gap = [delta('a', 0, 'One '), delta('a', 8, 'three')].reduce(applyFrame, started)
    expect(text(gap)).toBe('One  … three')
    expect(text(applyFrame(gap, delta('a', 4, 'two ')))).toBe('One two three')
  })

  it('starts over when a retried call writes something else', () => {
    const view = [delta('a', 0, 'Wrong start'), delta('a', 0, 'Ne'), delta('a', 2, 'w')].reduce(
      applyFrame,
      started,
    )
    expect(text(view)).toBe('New')
  })

  it('adopts the longer text of a snapshot and goes on from there', () => {
    const snapshot = (partial: string): SnapshotFrame => ({
      type: 'snapshot',
      run: 'r',
      events: [],
      detail: { ...detailOf(recording('mashost')), status: 'running' },
      partial: { a: partial },
    })
    const view = [
      delta('a', 0, 'One'),
      snapshot('One two'),
      snapshot('One'),
      delta('a', 7, ' three'),
    ]
    expect(text(view.reduce(applyFrame, started))).toBe('One two three')
  })

  it('gives way to the message, and late pieces change nothing', () => {
    const done = [delta('a', 0, 'Do'), trace(2, agentFinished('a', 2))].reduce(applyFrame, started)
    expect(text(done)).toBeNull()
    expect(applyFrame(done, delta('a', 2, 'ne.'))).toBe(done)
  })
})

describe('attempts', () => {
  const frames = recording('lost-attempt')

  it('shows the new attempt and keeps the lost one', () => {
    const view = replay(frames)
    expect(view.attempts.map((attempt) => attempt.attempt)).toEqual([1, 2])
    expect(view.attempts[0]?.loss?.willRetry).toBe(true)
    expect(view.attempts[0]?.agents.get('a1')?.status).toBe('stopped')
    expect(agentIn(view, 'a1').status).toBe('done')
    expect(view.status).toBe('succeeded')
  })

  it('is queued again between the attempts', () => {
    const lost = frames.findIndex(
      (frame) => frame.type === 'trace' && frame.event.event === 'attempt_lost',
    )
    expect(replay(frames.slice(0, lost + 1)).status).toBe('queued')
  })
})

describe('status', () => {
  it('is queued, then running, then what the trace says, even before the stored run says so', () => {
    const frames = recording('mashost')
    expect(replay(frames.slice(0, 1)).status).toBe('queued')
    expect(replay(frames.slice(0, 3)).status).toBe('running')
    expect(replay(frames.slice(0, -1)).status).toBe('succeeded')
  })

  it('does not go back from an end to an older status', () => {
    const frames = recording('mashost')
    const again = frames.slice(0, 2).reduce(applyFrame, replay(frames))
    expect(again.detail?.status).toBe('succeeded')
  })

  it('stops agents that were at work when the run was cancelled', () => {
    const view = [
      trace(1, agentStarted('a', 1)),
      trace(2, {
        event: 'run_cancelled',
        at: 3,
        by: 'ada',
        usage: { prompt_tokens: null, completion_tokens: null, cost: null },
        seconds: 2,
      }),
    ].reduce(applyFrame, emptyRun('r'))
    expect(view.status).toBe('cancelled')
    expect(agentIn(view, 'a')).toMatchObject({ status: 'stopped', endedAt: 3 })
  })

  it('ignores frames of other runs', () => {
    const view = emptyRun('other')
    expect(applyFrame(view, trace(1, agentStarted('a', 1)))).toBe(view)
  })
})

describe('sharing', () => {
  it('keeps the identity of every agent that a frame does not touch', () => {
    const before = replay([trace(1, agentStarted('a', 1)), trace(2, agentStarted('b', 1, ['a']))])
    const after = applyFrame(before, trace(3, agentFinished('a', 2)))
    expect(agentIn(after, 'b')).toBe(agentIn(before, 'b'))
    expect(agentIn(after, 'a')).not.toBe(agentIn(before, 'a'))
    expect(current(after).edges).toBe(current(before).edges)
    expect(agentIn(before, 'a').status).toBe('active')
  })

  it('leaves agents alone while text streams', () => {
    const before = replay([trace(1, agentStarted('a', 1)), delta('a', 0, 'x')])
    const after = applyFrame(before, delta('a', 1, 'y'))
    expect(current(after).agents).toBe(current(before).agents)
  })
})

describe('the event log', () => {
  it('never shows one version the events of another', () => {
    const base = replay([trace(1, agentStarted('a', 1))])
    const left = applyFrame(base, trace(2, agentFinished('a', 2)))
    const right = applyFrame(base, trace(3, agentStarted('b', 2)))
    const names = (view: RunView) =>
      current(view)
        .events.toArray()
        .map((each) => each.seq)
    expect([names(base), names(left), names(right)]).toEqual([[1], [1, 2], [1, 3]])
  })
})

describe('a run that waits for a person', () => {
  const pausedAt = (waiting: string[], asked: string[]): RunEvent => ({
    event: 'run_paused',
    at: 3,
    waiting_for: waiting,
    asked,
    graph: { nodes: [], edges: [] },
    usage: { prompt_tokens: 10, completion_tokens: 5, cost: null },
    seconds: 2,
  })
  const stored = (status: 'running' | 'waiting' | 'queued', attempt: number): Frame => ({
    type: 'status',
    run: 'r',
    detail: { ...detailOf(recording('mashost')), status, attempt },
  })
  const before = [
    stored('running', 1),
    trace(1, agentStarted('a1', 1)),
    trace(2, agentFinished('a1', 2)),
    trace(3, pausedAt(['b', 'p'], ['p'])),
  ]
  const paused = before.reduce(applyFrame, emptyRun('r'))

  it('waits, whatever was stored before', () => {
    expect(paused.status).toBe('waiting')
    expect(current(paused).pause?.asked).toEqual(['p'])
    expect(agentIn(paused, 'b').status).toBe('held')
    expect(totalsOf(paused).seconds).toBe(2)
  })

  it('is queued again once somebody has gone on, and then runs as the next attempt', () => {
    const queued = applyFrame(paused, stored('queued', 1))
    expect(queued.status).toBe('queued')
    const claimed = applyFrame(queued, stored('running', 2))
    expect(claimed.status).toBe('running')
    const going = applyFrame(claimed, trace(1, agentStarted('a1', 4), 2))
    expect(going.status).toBe('running')
    expect(traceTree(going, FAMILIES)).toHaveLength(1)
  })
})
