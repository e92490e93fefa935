import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { EndingsBell } from '@/app/endings'
import { playApi } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'
import { useToasts } from '@/lib/toasts'

const ending = (part: object = {}) => ({
  kind: 'evaluation',
  id: 'e1',
  name: 'Two ways',
  status: 'succeeded',
  at: '2026-01-01T00:00:02Z',
  seen: false,
  ...part,
})

function shown(known: () => readonly object[], at = '/') {
  const asked = playApi(({ path }) =>
    path === '/api/me/endings' ? { body: known() } : { status: 200 },
  )
  show(<EndingsBell />, { at })
  return asked
}

const said = (): string[] => useToasts.getState().toasts.map(({ message }) => message)

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  useToasts.setState({ toasts: [] })
})
describe('the bell', () => {
  it('counts what is new, and does not shout what had ended before', async () => {
    shown(() => [ending(), ending({ id: 'e2', seen: true })])
    expect(await screen.findByRole('button', { name: 'Notifications: 1 new' })).toBeTruthy()
    expect(document.title).toMatch(/^\(1\) /)
    expect(said()).toEqual([])
  })

  it('says what ends while the page is open, once, with the way there', async () => {
    const known = [ending({ id: 'old', seen: true })]
    shown(() => known)
    await screen.findByRole('button', { name: 'Notifications' })
    known.unshift(ending({ kind: 'training', id: 't1', name: 'A lesson', status: 'failed' }))
    await act(() => vi.advanceTimersByTimeAsync(20_000))
    await waitFor(() => expect(said()).toEqual(['A lesson: the training has failed']))
    expect(useToasts.getState().toasts[0]?.link?.to).toBe('/training/t1')
    await act(() => vi.advanceTimersByTimeAsync(60_000))
    expect(said()).toHaveLength(1)
  })

  it('says that a run waits, but not to who looks at it', async () => {
    const waits = { kind: 'run', status: 'waiting' }
    const known = [ending({ seen: true })]
    shown(() => known, '/runs/r1')
    await screen.findByRole('button', { name: 'Notifications' })
    known.unshift(
      ending({ ...waits, id: 'r1', name: 'Looked at' }),
      ending({ ...waits, id: 'r2', name: 'Elsewhere' }),
    )
    await act(() => vi.advanceTimersByTimeAsync(20_000))
    await waitFor(() => expect(said()).toEqual(['Elsewhere: the run waits for you']))
    expect(useToasts.getState().toasts[0]?.link?.to).toBe('/runs/r2')
    expect(screen.getByRole('button', { name: 'Notifications: 1 new' })).toBeTruthy()
  })

  it('lists them, and what was looked at is new no more', async () => {
    const asked = shown(() => [ending(), ending({ id: 't1', kind: 'training', name: 'A lesson' })])
    fireEvent.click(await screen.findByRole('button', { name: 'Notifications: 2 new' }))
    const links = await screen.findAllByRole('link')
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      '/evaluations/e1',
      '/training/t1',
      '/webhooks',
    ])
    if (links[0]) fireEvent.click(links[0])
    await waitFor(() =>
      expect(asked.find(({ method }) => method === 'POST')?.body).toEqual({
        until: '2026-01-01T00:00:02Z',
      }),
    )
  })
})
