import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { AllCheckpoints, JobCheckpoints } from '@/features/training/checkpoints-view'
import type { Checkpoint } from '@/lib/api/checkpoints'
import { playApi } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

import { me, training } from './support'

const saved = (name: string, metrics: Record<string, number>): Checkpoint => ({
  name,
  method: 'mashost',
  label: name,
  trained: true,
  is_default: false,
  promoted: false,
  job: 'j1',
  job_name: 'Run one',
  step: 1,
  digest: '',
  size_bytes: 1,
  recipe: { config: { held_out: 32, queries_per_step: 4, systems_per_query: 6 } },
  run_config: null,
  metrics,
  created_at: '2026-01-01T00:00:00Z',
})
const first = saved('first', { reward: 0.9, accuracy: 0.5, held_out_reward: 0.2 })
const second = saved('second', { reward: 0.3, accuracy: 0.5, held_out_reward: 0.6 })

const known = [
  [['me'], me],
  [['methods'], []],
] as const

const names = (): (string | null)[] =>
  screen.getAllByRole('rowheader').map(({ textContent }) => textContent)

describe('the checkpoints of a training', () => {
  it('tell first what held-out tasks say, on how many, and which is best', async () => {
    playApi(() => ({ body: { next: null, results: [first, second] } }))
    show(<JobCheckpoints job={training()} />, { known })
    await screen.findByText('best')
    expect(names()).toEqual(['first', 'secondbest'])
    const heads = screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
    expect(heads.indexOf('Reward, held out')).toBeLessThan(heads.indexOf('Reward of its step'))
    // Older checkpoints do not say how many of the 32 the endpoint answered.
    expect(screen.getAllByText('n ≤ 32')).toHaveLength(2)
    // Of its step it is a mean of queries, and no share of their 24 systems.
    expect(screen.queryByText('n = 24')).toBeNull()
    expect(screen.getAllByText('mean of 4 tasks × 6 systems')).toHaveLength(4)
  })

  it('say how many tasks a share rests on, and not how many were asked', async () => {
    const answered = { held_out_reward: 0.9, held_out_accuracy: 0.9, 'held_out_accuracy/n': 30 }
    playApi(() => ({ body: { next: null, results: [saved('new', answered)] } }))
    show(<JobCheckpoints job={training()} />, { known })
    expect(await screen.findAllByText('n = 30')).toHaveLength(2)
    expect(screen.queryByText(/32/)).toBeNull()
  })

  it('give a share its interval, where it is stored', async () => {
    const told = { accuracy: 0.8333, 'accuracy/low': 0.5197, 'accuracy/high': 0.9567 }
    const old = saved('old', { accuracy: 0.5 })
    playApi(() => ({ body: { next: null, results: [saved('new', told), old] } }))
    show(<JobCheckpoints job={training()} />, { known })
    expect(await screen.findByText('52.0 % to 95.7 %')).toBeTruthy()
    expect(screen.getAllByTitle('95 % interval')).toHaveLength(1)
  })
})

it('one that is deleted is gone from its training, too', async () => {
  const requests = playApi(({ method }) => ({
    body: method === 'DELETE' ? null : { next: null, results: [first, second] },
  }))
  const { client } = show(<JobCheckpoints job={training()} />, { known })
  client.setQueryData(['training', 'j1'], training())
  fireEvent.click(await screen.findByRole('button', { name: 'Actions for first' }))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }))
  const dialog = await screen.findByRole('dialog')
  fireEvent.click(within(dialog).getByRole('button', { name: 'Delete' }))
  await waitFor(() =>
    expect(
      requests.some(({ method, path }) => method === 'DELETE' && path.endsWith('/first')),
    ).toBe(true),
  )
  await waitFor(() => expect(client.getQueryState(['training', 'j1'])?.isInvalidated).toBe(true))
})

describe('all checkpoints', () => {
  it('come page after page, and none is called best before all are here', async () => {
    const requests = playApi(({ query }) => ({
      body:
        query.get('cursor') === 'two'
          ? { next: null, results: [second] }
          : { next: 'http://s/api/checkpoints?cursor=two', results: [first] },
    }))
    show(<JobCheckpoints job={training()} />, { known })
    fireEvent.click(await screen.findByRole('button', { name: 'Load more' }))
    expect(screen.queryByText('best')).toBeNull()
    await waitFor(() => expect(names()).toHaveLength(2))
    expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
    expect(requests).toHaveLength(2)
  })

  it('are searched by the server', async () => {
    const requests = playApi(({ query }) => ({
      body: { next: null, results: query.get('q') === 'sec' ? [second] : [first, second] },
    }))
    show(<AllCheckpoints />, { known })
    await waitFor(() => expect(names()).toHaveLength(2))
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'sec' } })
    await waitFor(() => expect(names()).toEqual(['second']))
    expect(requests.at(-1)?.query.get('q')).toBe('sec')
  })
})
