import { beforeEach, describe, expect, it, vi } from 'vitest'

import { evaluationTopic, jobTopic } from '@/lib/stream/frames'
import { backoffMs } from '@/lib/stream/hub'

import { bench, detail, recorder, snapshot, trace } from './fakes'

beforeEach(() => void vi.useFakeTimers())
const settle = (milliseconds = 40): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds)

/** A hub that somebody watches these by. */
async function watching(...topics: string[]) {
  const { hub, ...rest } = bench()
  for (const topic of topics) hub.subscribe(topic, vi.fn())
  await settle(100)
  return { hub, ...rest }
}

async function failFourTimes(latest: () => { emit: (type: string) => void }, wait = 8_000) {
  for (let failure = 0; failure < 4; failure += 1) {
    latest().emit('error')
    await settle(wait)
  }
}

describe('one stream for all runs', () => {
  it('gathers subscriptions of the same moment into one connection', async () => {
    const { sources, latest } = await watching('a', 'b')
    expect(sources).toHaveLength(1)
    expect(latest().query.get('runs')).toBe('a,b')
    expect(latest().query.get('after')).toBeNull()
  })

  it('delivers frames to the subscribers of their run only, in batches', async () => {
    const { hub, latest } = bench()
    const [a, b] = [recorder(), recorder()]
    hub.subscribe('a', a.listener)
    hub.subscribe('b', b.listener)
    await settle()
    latest().emit('snapshot', snapshot('a', ['1.1']))
    latest().emit('trace', trace('a', '1.2'))
    latest().emit('delta', { run: 'b', agent_id: 'x', text: 'hi', offset: 0, attempt: 1 })
    await settle()
    expect(a.frames.map((frame) => frame.type)).toEqual(['snapshot', 'trace'])
    expect(a.listener).toHaveBeenCalledTimes(1)
    expect(b.frames).toMatchObject([{ type: 'delta', text: 'hi', offset: 0 }])
  })

  it('asks for a fresh snapshot of a run that somebody else watches already', async () => {
    const { hub, latest } = await watching('a')
    latest().emit('open')
    latest().emit('trace', trace('a', '1.7'))
    hub.subscribe('a', () => undefined)
    hub.subscribe('b', () => undefined)
    await settle()
    expect(latest().query.get('runs')).toBe('a,b')
    expect(latest().query.get('after')).toBeNull()
  })

  it('ignores what is not a frame of ours', async () => {
    const { hub, latest } = bench()
    const { frames, listener } = recorder()
    hub.subscribe('a', listener)
    await settle()
    for (const body of [null, 'text', 7, {}, { run: 'other' }]) latest().emit('trace', body)
    await settle()
    expect(frames).toEqual([])
  })
})

describe('resuming', () => {
  it('reopens after the last event of each run', async () => {
    const { latest, sources, connections } = await watching('a', 'b')
    latest().emit('open')
    latest().emit('snapshot', snapshot('a', ['1.1', '1.2']))
    latest().emit('trace', trace('b', '2.10'))
    latest().emit('trace', trace('b', '2.9'))
    latest().emit('error')
    expect(connections).toEqual(['connecting', 'live', 'reconnecting'])
    await settle(1_000)
    expect(sources).toHaveLength(2)
    expect(latest().query.get('after')).toBe('a:1.2,b:2.10')
    latest().emit('open')
    expect(connections.at(-1)).toBe('live')
  })

  it('leaves a run out once it has ended, and rests when all have', async () => {
    const { latest, sources, connections } = await watching('a', 'b')
    latest().emit('open')
    latest().emit('end', { run: 'a', detail: detail('a', 'succeeded') })
    latest().emit('error')
    await settle(1_000)
    expect(latest().query.get('runs')).toBe('b')
    latest().emit('end', { run: 'b', detail: detail('b', 'failed') })
    expect(latest().closed).toBe(true)
    expect(connections.at(-1)).toBe('idle')
    await settle(120_000)
    expect(sources).toHaveLength(2)
  })

  it('still delivers the last frames after everything ended', async () => {
    const { hub, latest } = bench()
    const { frames, listener } = recorder()
    hub.subscribe('a', listener)
    await settle()
    latest().emit('trace', trace('a', '1.1'))
    latest().emit('end', { run: 'a', detail: detail('a', 'succeeded') })
    await settle()
    expect(frames.map((frame) => frame.type)).toEqual(['trace', 'end'])
  })

  it('closes the connection with the last subscriber', async () => {
    const { hub, latest } = bench()
    const stop = hub.subscribe('a', () => undefined)
    await settle()
    stop()
    expect(latest().closed).toBe(true)
    stop()
  })

  it('waits longer after each failure, within bounds', () => {
    const waits = [1, 2, 3, 10].map((failures) => backoffMs(failures, 0.5))
    expect(waits).toEqual([500, 1_000, 2_000, 15_000])
    expect(backoffMs(1, 0)).toBeLessThan(backoffMs(1, 0.99))
  })
})

describe('without a stream', () => {
  it('polls after the last event and ends with the run', async () => {
    let ended = false
    const { hub, latest, connections, fetched } = bench((url) =>
      url.includes('/events')
        ? {
            status: 200,
            body: { results: ended ? [trace('a', '1.3')] : [], next_after: null, ended },
          }
        : { status: 200, body: detail('a', ended ? 'succeeded' : 'running') },
    )
    const { frames, listener } = recorder()
    hub.subscribe('a', listener)
    await settle()
    latest().emit('trace', trace('a', '1.2'))
    await failFourTimes(latest)
    expect(connections.at(-1)).toBe('polling')
    expect(fetched[0]).toContain('after=1.2')
    ended = true
    await settle(20_000)
    expect(frames.at(-1)).toMatchObject({ type: 'end', detail: { status: 'succeeded' } })
    expect(connections.at(-1)).toBe('idle')
  })

  it('says so when nothing answers, and comes back by itself', async () => {
    const { latest, connections, sources } = await watching('a')
    await failFourTimes(latest)
    expect(connections.at(-1)).toBe('offline')
    const tries = sources.length
    await settle(20_000)
    expect(sources.length).toBeGreaterThan(tries)
    latest().emit('open')
    expect(connections.at(-1)).toBe('live')
  })

  it('drops a run that is gone and streams the rest', async () => {
    const { hub, latest } = bench((url) =>
      url.includes('/runs/gone')
        ? { status: 404, body: null }
        : url.includes('/events')
          ? { status: 200, body: { results: [], next_after: null, ended: false } }
          : { status: 200, body: detail('a', 'running') },
    )
    hub.subscribe('gone', () => undefined)
    hub.subscribe('a', () => undefined)
    await settle()
    await failFourTimes(latest)
    expect(latest().query.get('runs')).toBe('a')
  })

  it('replaces a stream that is silent while events are stored', async () => {
    const { hub, latest, sources } = bench((url) =>
      url.includes('/events')
        ? { status: 200, body: { results: [trace('a', '1.1')], next_after: '1.1', ended: false } }
        : { status: 200, body: detail('a', 'running') },
    )
    const { frames, listener } = recorder()
    hub.subscribe('a', listener)
    await settle()
    latest().emit('open')
    await settle(25_000)
    expect(frames[0]).toMatchObject({ type: 'trace', id: '1.1' })
    expect(sources.length).toBeGreaterThan(1)
    expect(latest().query.get('after')).toBe('a:1.1')
  })
})

const evaluation = (status: string, done: number) => ({ id: 'e1', status, done })
const step = (number: number) => ({ job: 'j1', step: number, at: '', values: { reward: number } })

describe('trainings and evaluations', () => {
  it('share the one stream with runs, and each gets only its own frames', async () => {
    const { hub, latest, sources } = bench()
    const job = recorder()
    const compared = recorder()
    hub.subscribe('r1', vi.fn())
    hub.subscribe(jobTopic('j1'), job.listener)
    hub.subscribe(evaluationTopic('e1'), compared.listener)
    await settle(100)
    expect(sources).toHaveLength(1)
    expect(Object.fromEntries(latest().query)).toEqual({
      runs: 'r1',
      jobs: 'j1',
      evaluations: 'e1',
    })
    latest().emit('metric', step(1))
    latest().emit('evaluation', evaluation('running', 3))
    await settle(100)
    expect(job.frames).toMatchObject([{ type: 'metric', job: 'j1', step: 1 }])
    expect(compared.frames).toMatchObject([{ type: 'evaluation', detail: { done: 3 } }])
  })

  it('resume after the last step, and are left out once they have ended', async () => {
    const { hub, latest } = bench()
    hub.subscribe(jobTopic('j1'), vi.fn())
    hub.subscribe(evaluationTopic('e1'), vi.fn())
    await settle(100)
    latest().emit('open')
    for (const number of [8, 9, 10]) latest().emit('metric', step(number))
    latest().emit('evaluation', evaluation('succeeded', 9))
    latest().emit('error')
    await settle(1_000)
    expect(Object.fromEntries(latest().query)).toEqual({ jobs: 'j1', after: 'j1:10' })
  })

  it('reach a second watcher whole, whatever the open stream sends meanwhile', async () => {
    const { hub, latest } = await watching(jobTopic('j1'))
    latest().emit('open')
    latest().emit('metric', step(7))
    const second = recorder()
    hub.subscribe(jobTopic('j1'), second.listener)
    latest().emit('metric', step(8))
    await settle(100)
    expect(latest().query.get('after')).toBeNull()
    expect(second.frames).toEqual([])
    latest().emit('metric', step(1))
    latest().emit('error')
    await settle(1_000)
    expect(latest().query.get('after')).toBe('j1:1')
  })

  it('are opened again for a second watcher when they end meanwhile', async () => {
    const { hub, latest, sources } = await watching(jobTopic('j1'))
    hub.subscribe(jobTopic('j1'), vi.fn())
    latest().emit('job', { id: 'j1', status: 'succeeded' })
    await settle(100)
    expect(sources).toHaveLength(2)
    expect(latest().query.get('jobs')).toBe('j1')
  })

  it('begin after what is known from before, for the one who knows least', async () => {
    const { hub, latest } = bench()
    hub.subscribe(jobTopic('j1'), vi.fn(), { after: '12' })
    await settle(100)
    expect(latest().query.get('after')).toBe('j1:12')
    hub.subscribe(jobTopic('j1'), vi.fn(), { after: '9' })
    await settle(100)
    expect(latest().query.get('after')).toBe('j1:9')
    hub.subscribe(jobTopic('j1'), vi.fn())
    await settle(100)
    expect(latest().query.get('after')).toBeNull()
  })

  it('drop an answer that was asked for before a newcomer came', async () => {
    const answers: (() => void)[] = []
    const { hub, latest } = bench(
      (url) => ({
        status: 200,
        body: url.includes('/metrics')
          ? { results: [step(9)], next_after: 9 }
          : { id: 'j1', status: 'succeeded' },
      }),
      (reply) => new Promise((resolve) => answers.push(() => resolve(reply))),
    )
    hub.subscribe(jobTopic('j1'), vi.fn())
    await settle(100)
    latest().emit('open')
    await settle(21_000)
    hub.subscribe(jobTopic('j1'), vi.fn())
    await settle(100)
    for (let round = 0; round < 3; round += 1) {
      for (const answer of answers.splice(0)) answer()
      await settle(10)
    }
    expect(latest().closed).toBe(false)
    expect(latest().query.get('after')).toBeNull()
  })

  it('are polled page after page, the job last', async () => {
    const page = (from: number, count: number) => ({
      results: Array.from({ length: count }, (_, index) => step(from + index)),
      next_after: from + count - 1,
    })
    const { hub, latest, fetched } = bench((url) => ({
      status: 200,
      body: !url.includes('/metrics')
        ? { id: 'j1', status: 'succeeded' }
        : url.includes('after=5000')
          ? page(5_001, 3)
          : page(1, 5_000),
    }))
    const job = recorder()
    hub.subscribe(jobTopic('j1'), job.listener)
    await settle(100)
    await failFourTimes(latest, 16_000)
    expect(fetched).toHaveLength(3)
    expect(job.frames).toHaveLength(5_004)
    expect(job.frames.at(-2)).toMatchObject({ step: 5_003 })
    expect(job.frames.at(-1)?.type).toBe('job')
  })

  it('that are gone are told so, once', async () => {
    const { hub, latest } = bench(() => ({ status: 404, body: null }))
    const onGone = vi.fn()
    hub.subscribe(jobTopic('j1'), vi.fn(), { onGone })
    await settle(100)
    await failFourTimes(latest, 16_000)
    expect(onGone).toHaveBeenCalledTimes(1)
  })

  it('of a session that has ended stop, and go on for the next', async () => {
    const { hub, latest, connections, fetched, sources } = bench(() => ({
      status: 401,
      body: null,
    }))
    const onGone = vi.fn()
    hub.subscribe(jobTopic('j1'), vi.fn(), { onGone })
    await settle(100)
    await failFourTimes(latest, 16_000)
    expect(connections.at(-1)).toBe('signed-out')
    expect(onGone).not.toHaveBeenCalled()
    await settle(120_000)
    expect(fetched).toHaveLength(1)
    expect(sources).toHaveLength(4)
    hub.subscribe(jobTopic('j2'), vi.fn())
    await settle(100)
    latest().emit('open')
    expect(connections.at(-1)).toBe('live')
  })

  it('are polled when no stream can be opened', async () => {
    const { hub, latest, fetched } = bench((url) =>
      url.includes('/metrics')
        ? { status: 200, body: { results: [{ step: 1, at: '', values: {} }], next_after: 1 } }
        : { status: 200, body: { id: url.includes('jobs') ? 'j1' : 'e1', status: 'succeeded' } },
    )
    const job = recorder()
    const compared = recorder()
    hub.subscribe(jobTopic('j1'), job.listener)
    hub.subscribe(evaluationTopic('e1'), compared.listener)
    await settle(100)
    await failFourTimes(latest, 16_000)
    expect(fetched).toEqual([
      '/api/training-jobs/j1',
      '/api/training-jobs/j1/metrics?page_size=5000',
      '/api/evaluations/e1',
    ])
    expect(job.frames.map(({ type }) => type)).toEqual(['metric', 'job'])
    expect(compared.frames).toMatchObject([{ type: 'evaluation', detail: { id: 'e1' } }])
  })
})
