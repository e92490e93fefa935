import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'

import { NextSteps } from '@/app/home/home-page'
import { NowRunning } from '@/app/home/now-running'
import { evaluation } from '@/features/evaluations/tests/support'
import { training } from '@/features/training/tests/support'
import { playApi } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

const me = (part: Partial<Record<'run' | 'curate', boolean>> = {}) => ({
  username: 'ada',
  permissions: { run: true, share: true, curate: true, admin: false, ...part },
})
const page = (...results: unknown[]) => ({ body: { results, next: null, previous: null } })

const runs = (count: number, part: object) =>
  Array.from({ length: count }, (_, number) => ({
    id: `run-${number}`,
    query: `Question ${number}`,
    method: 'direct',
    started_at: null,
    ...part,
  }))

const shown = (part: React.ReactNode, who = me()) => show(part, { known: [[['me'], who]] })

const names = (): string[] => screen.queryAllByRole('link').map((link) => link.textContent)

beforeEach(() => {
  globalThis.localStorage.clear()
})
describe('what runs now', () => {
  it('is told with how far it is, after what waits for me', async () => {
    const asked = playApi(({ path, query }) => {
      if (path === '/api/training-jobs') return page(training({ name: 'A lesson', step: 3 }))
      if (path === '/api/evaluations')
        return page(evaluation({ name: 'Two ways', status: 'running', done: 3 }))
      if (query.getAll('status').includes('waiting'))
        return page({ id: 'r1', query: 'What is 1 + 1?', status: 'waiting' })
      const started_at = new Date(Date.now() - 42_000).toISOString()
      return page(...runs(1, { status: 'running', started_at }))
    })
    shown(<NowRunning />)
    await waitFor(() =>
      expect(names()).toEqual(['What is 1 + 1?', 'Question 0', 'A lesson', 'Two ways']),
    )
    expect(screen.getByText(/^direct, for 4[23] s/)).toBeTruthy()
    expect(screen.getByText('Running')).toBeTruthy()
    expect(screen.getByText('Waits for you')).toBeTruthy()
    expect(screen.getAllByRole('progressbar')).toHaveLength(2)
    const mine = asked.filter(({ path }) => path === '/api/runs')
    expect(mine.map(({ query }) => query.get('mine'))).toEqual(['true', 'true'])
    expect(mine.map(({ query }) => query.getAll('status'))).toEqual([
      ['waiting'],
      ['queued', 'running'],
    ])
  })

  it('says how many more there are than it shows', async () => {
    const mine = runs(6, { status: 'queued', created_at: new Date().toISOString() })
    let next: string | null = null
    playApi(({ path, query }) =>
      path === '/api/runs' && query.getAll('status').includes('queued')
        ? { body: { results: mine, next, previous: null } }
        : page(),
    )
    const { unmount } = shown(<NowRunning />)
    const more = await screen.findByRole('link', { name: 'and 2 more runs of yours' })
    expect(more.getAttribute('href')).toBe('/runs?mine=true')
    expect(names()).toHaveLength(5)
    unmount()
    next = '/api/runs?cursor=c'
    shown(<NowRunning />)
    expect(await screen.findByRole('link', { name: 'and over 2 more runs of yours' })).toBeTruthy()
  })

  it('takes no place while there is none', async () => {
    const asked = playApi(() => page())
    const { container } = shown(<NowRunning />)
    await waitFor(() => expect(asked).toHaveLength(4))
    expect(container.textContent).toBe('')
  })
})

describe('the first steps', () => {
  const studio = (begun: readonly string[], endpoint = true) =>
    playApi(({ path }) => {
      if (path === '/api/endpoints') return page({ key: 'e', enabled: endpoint })
      return begun.includes(path) ? page({}) : page()
    })

  it('lead on from what has been done', async () => {
    studio(['/api/runs', '/api/datasets'])
    shown(<NextSteps />)
    expect(await screen.findByText('First steps: 3 of 6')).toBeTruthy()
    const next = screen.getByRole('listitem', { current: 'step' })
    expect(next.textContent).toContain('Draw a team by hand')
    expect(screen.getAllByLabelText('Done')).toHaveLength(3)
  })

  it('begin with a model where there is none', async () => {
    studio([], false)
    shown(<NextSteps />, me({ curate: false }))
    const next = await screen.findByRole('listitem', { current: 'step' })
    expect(next.textContent).toContain('Connect a language model')
  })

  it('are gone when all is done, when somebody hides them, and for who may begin nothing', async () => {
    const all = ['runs', 'datasets', 'evaluations', 'training-jobs', 'designs']
    const asked = studio(all.map((name) => `/api/${name}`))
    const { container, unmount } = shown(<NextSteps />)
    await waitFor(() => expect(asked).toHaveLength(6))
    expect(container.textContent).toBe('')
    unmount()

    studio([])
    shown(<NextSteps />, me({ run: false }))
    expect(names()).toEqual([])
    cleanup()
    shown(<NextSteps />)
    fireEvent.click(await screen.findByRole('button', { name: 'Hide the first steps' }))
    expect(names()).toEqual([])
    cleanup()
    shown(<NextSteps />)
    expect(names()).toEqual([])
  })
})
