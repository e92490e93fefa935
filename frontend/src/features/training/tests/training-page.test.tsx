import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { TrainingPage } from '@/features/training/training-page'
import type { Training } from '@/features/training/use-training'
import { seriesLook } from '@/lib/series'
import { stubSources, type FakeSource } from '@/lib/stream/tests/fakes'
import { method } from '@/lib/tests/method'
import { playApi, type Answer, type Sent } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'
import { measureNothing } from '@/lib/tests/unmeasured'

import { me, METRICS, training } from './support'

const TRAINABLE = { method: 'mashost', config_schema: {}, presets: {}, metrics: METRICS }
const METHODS = [TRAINABLE, { ...TRAINABLE, method: 'evomas', selects_roles: true }]
let sources: FakeSource[] = []

beforeEach(() => {
  sources = stubSources()
  measureNothing()
  Element.prototype.scrollIntoView = vi.fn()
})

const listed = (job: Training, { path }: Sent): Answer => {
  if (path === '/api/training-jobs') return { body: { next: null, results: [] } }
  if (path === `/api/training-jobs/${job.id}`) return { body: job }
  if (path.startsWith('/api/checkpoints')) return { body: { next: null, results: [] } }
  if (path === '/api/training/methods') return { body: METHODS }
  return { status: 404, body: null }
}

/** Every test has a training of its own: what a tab has heard of one it keeps. */
function open(job: Training, search = '', answer = listed) {
  const requests = playApi((sent) => answer(job, sent))
  const { router } = show(<TrainingPage />, {
    at: `/training/${job.id}${search}`,
    path: '/training/:id',
    known: [
      [['me'], me],
      [['methods'], [method('mashost'), method('reso', { keeps_agents: true })]],
      [['training-methods'], METHODS],
      [['training', job.id], job],
    ],
  })
  return { requests, router }
}

async function tell(...frames: [name: string, body: unknown][]): Promise<void> {
  await waitFor(() => expect(sources.length).toBeGreaterThan(0))
  await act(async () => {
    for (const [name, body] of frames) sources.at(-1)?.emit(name, body)
    await new Promise((resolve) => setTimeout(resolve, 300))
  })
}

const step = (job: Training, number: number, values: Record<string, number>) =>
  ['metric', { job: job.id, step: number, at: '2026-01-01T00:10:00Z', values }] as [string, unknown]

describe('the page of a training', () => {
  it.each(['checkpoints', 'settings'])('is live on the tab “%s”', async (tab) => {
    const job = training({ id: `live-${tab}` })
    open(job, `?tab=${tab}`)
    await tell(['job', { ...job, step: 4 }])
    expect(screen.getByText('step 4 of 9')).toBeTruthy()
    expect(document.title).toContain('44 %')
  })

  it('asks for the checkpoints again when others took the place of some', async () => {
    const job = training({ id: 'kept', checkpoints: ['a', 'b'] })
    const { requests } = open(job, '?tab=checkpoints')
    const asked = (): number =>
      requests.filter(({ path }) => path.startsWith('/api/checkpoints')).length
    await waitFor(() => expect(asked()).toBe(1))
    await tell(['job', { ...job, checkpoints: ['b', 'c'] }])
    await waitFor(() => expect(asked()).toBe(2))
  })

  it('says so when the training is gone', async () => {
    const job = training({ id: 'gone' })
    const { requests } = open(job, '?tab=settings', () => ({ status: 404, body: null }))
    await waitFor(() => expect(requests.some(({ path }) => path.endsWith('/gone'))).toBe(true), {
      timeout: 9_000,
    })
    expect(await screen.findByText('This training cannot be shown')).toBeTruthy()
  }, 15_000)
})

it.each([
  ['mashost', 'agents', 'Timeline', 3],
  ['reso', 'agents', 'Agents', 4],
  ['mashost', 'selections', 'Timeline', 3],
  ['evomas', 'selections', 'Choices', 4],
])('one with %s opens, asked for %s, “%s”', (used, tab, opened, count) => {
  open(training({ id: `${tab}-${used}`, method: used }), `?tab=${tab}`)
  expect(screen.getByRole('tab', { selected: true }).textContent).toBe(opened)
  expect(screen.getAllByRole('tab')).toHaveLength(count)
})

describe('its timeline', () => {
  it('knows metrics that few steps tell, and says which are not known yet', async () => {
    const job = training({ id: 'sparse' })
    open(job, '?metrics=reward,held_out_reward,loss&smooth=0')
    await tell(
      step(job, 1, { reward: 0.1 }),
      step(job, 2, { reward: 0.2, held_out_reward: 0.75 }),
      step(job, 3, { reward: 0.3 }),
      ['job', job],
    )
    expect(screen.getByRole('heading', { name: 'Reward on held-out tasks' })).toBeTruthy()
    expect(screen.getByText('0.75')).toBeTruthy()
    expect(screen.getByText(/Not known yet/)).toBeTruthy()
    expect(screen.getByText('Of unseen tasks.')).toBeTruthy()
  })

  it('shows no work for a training that has no steps to come', async () => {
    const job = training({ id: 'empty', status: 'failed', finished_at: '2026-01-01T01:00:00Z' })
    open(job)
    await tell(['job', job])
    expect(screen.getByText('No step of this training is stored.')).toBeTruthy()
  })

  it('asks a training that is resumed only for what is new', async () => {
    const job = training({ id: 'again', status: 'failed', finished_at: '2026-01-01T01:00:00Z' })
    open(job)
    await tell(step(job, 1, { reward: 0.1 }), step(job, 2, { reward: 0.2 }), ['job', job])
    cleanup()
    open(training({ id: 'again', status: 'queued' }))
    await waitFor(() => expect(sources).toHaveLength(2))
    expect(sources[1]?.query.get('after')).toContain('again:2')
  })

  it('draws trainings over it that are not among the newest, each in its own colour', async () => {
    const job = training({ id: 'mine' })
    const old = training({ id: 'old', name: 'Long ago' })
    open(job, '?with=lost,old', (own, sent) =>
      sent.path === '/api/training-jobs/old' ? { body: old } : listed(own, sent),
    )
    expect((await screen.findAllByText('Long ago')).length).toBeGreaterThan(0)
    expect(await screen.findByText(/One of the trainings to compare with/)).toBeTruthy()
    const mark = screen.getByText('Long ago').querySelector('line')
    expect(mark?.getAttribute('stroke')).toBe(seriesLook(2).color)
  })

  it('tells at a step that there is not that it has no number', async () => {
    const job = training({ id: 'beyond' })
    open(job, '?metrics=reward&smooth=0&step=99')
    await tell(step(job, 1, { reward: 0.1 }), ['job', job])
    const slider = screen.getByRole('slider', { name: 'Reward over training steps' })
    expect(slider.getAttribute('aria-valuetext')).toBe('step 99: Run one —')
  })

  it('leads back from a step and from a tab by the browser’s own way', async () => {
    const job = training({ id: 'back' })
    const { router } = open(job, '?metrics=reward')
    await tell(step(job, 1, { reward: 0.1 }), ['job', job])
    fireEvent.keyDown(screen.getByRole('slider', { name: 'Reward over training steps' }), {
      key: 'Enter',
    })
    await waitFor(() => expect(router.state.location.search).toContain('step=1'))
    fireEvent.click(screen.getByRole('tab', { name: 'Settings' }))
    await waitFor(() => expect(router.state.location.search).toContain('tab=settings'))
    await act(() => router.navigate(-1))
    expect(router.state.location.search).toBe('?metrics=reward&step=1')
    await act(() => router.navigate(-1))
    expect(router.state.location.search).toBe('?metrics=reward')
  })

  it('shows the systems of the newest step once they are there', async () => {
    const job = training({ id: 'race', step: 1 })
    let asked = 0
    const sample = {
      id: 1,
      step: 1,
      index: 0,
      query: 'Late question',
      reference: null,
      correct: true,
      reward: 1,
      tokens: 1,
      agents: 1,
    }
    open(job, '?metrics=reward&step=1', (own, sent) => {
      const isAsked = sent.path.endsWith('/samples') && sent.query.get('step') === '1'
      if (!isAsked) return listed(own, sent)
      asked += 1
      return { body: asked < 2 ? [] : [sample] }
    })
    expect(await screen.findByText('Late question', {}, { timeout: 4_000 })).toBeTruthy()
  })

  it('as a table says how many rows there are, and which one each is', async () => {
    const job = training({ id: 'table' })
    open(job, '?metrics=cost')
    await tell(step(job, 1, { cost: 0.5 }), step(job, 2, { cost: 0.25 }), ['job', job])
    fireEvent.click(screen.getByRole('button', { name: 'As table' }))
    expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('3')
    const rows = screen.getAllByRole('row')
    expect(rows.map((row) => row.getAttribute('aria-rowindex'))).toEqual(['1', '2', '3'])
    expect(rows[1]?.textContent).toBe('2$0.25')
  })

  it('stops the clock of a paused training at its last step', async () => {
    const job = training({ id: 'still', status: 'paused' })
    open(job)
    await tell(step(job, 1, { reward: 0.1 }), ['job', job])
    expect(screen.getByText('10 min 00 s')).toBeTruthy()
  })
})
