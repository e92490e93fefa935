import { fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { Palette } from '@/app/palette'
import { commandStore } from '@/lib/commands'
import { playApi, type Answer } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

afterEach(() => {
  commandStore.setState({ groups: [] })
})

const pageOf = (results: object[]): Answer => ({ body: { results, next: null } })

function shown() {
  const { router } = show(<Palette onClose={() => undefined} />, {
    known: [[['me'], { username: 'ada', permissions: { run: true } }]],
    isFresh: true,
  })
  const field = screen.getByRole('searchbox')
  return { router, type: (value: string) => fireEvent.input(field, { target: { value } }) }
}

describe('the palette', () => {
  it('lists one of two commands with the same id, that of what opened last', () => {
    const [older, newer] = [vi.fn(), vi.fn()]
    commandStore.setState({
      groups: [
        [{ id: 'close', label: 'Close the page', run: older }],
        [{ id: 'close', label: 'Close the dialog', run: newer }],
      ],
    })
    shown()
    const labels = screen.getAllByRole('menuitem').map((item) => item.textContent)
    expect(labels.filter((label) => label.startsWith('Close'))).toEqual(['Close the dialog'])
  })

  it('finds whatever is stored under a name, and settings', async () => {
    const named = (id: string) => pageOf([{ id, name: `Bread ${id}` }])
    const answers: Record<string, Answer> = {
      '/api/runs': pageOf([{ id: 'r1', query: 'How is bread made?' }]),
      '/api/designs': named('d1'),
      '/api/evaluations': named('e1'),
      '/api/training-jobs': named('t1'),
      '/api/checkpoints': pageOf([{ name: 'bread-3', label: '' }]),
      '/api/datasets': pageOf([
        { key: 'loaves', name: 'Bread tasks' },
        { key: 'x', name: 'X' },
      ]),
      '/api/endpoints': pageOf([{ key: 'oven', name: 'Oven', model: 'breadbaker-7b' }]),
      '/api/pools': pageOf([{ key: 'bakery', name: 'Bakery' }]),
      '/api/pools/bakery': { body: { key: 'bakery', roles: [{ key: 'bread', name: 'Baker' }] } },
    }
    playApi(({ path }) => answers[path])
    const { router, type } = shown()
    type('bread')
    const found = ['How is bread made?', 'Bread d1', 'Bread e1', 'Bread t1', 'bread-3']
    await screen.findByRole('menuitem', { name: 'How is bread made?' })
    const labels = screen.getAllByRole('menuitem').map((item) => item.textContent)
    expect(labels).toEqual([...found, 'Bread tasks', 'Baker', 'Oven'])
    for (const [label, address] of [
      ['Bread e1', '/evaluations/e1'],
      ['bread-3', '/training?tab=checkpoints&find=bread-3'],
      ['Bread tasks', '/datasets/loaves'],
      ['Baker', '/roles?pool=bakery&role=bread'],
      ['Oven', '/endpoints#oven'],
    ] as const) {
      fireEvent.click(screen.getByRole('menuitem', { name: label }))
      await waitFor(() => {
        const { pathname, search, hash } = router.state.location
        expect(pathname + search + hash).toBe(address)
      })
    }
    type('theme dark')
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Theme: Dark' }))
    await waitFor(() => expect(document.documentElement.dataset.theme).toBe('dark'))
  })
})
