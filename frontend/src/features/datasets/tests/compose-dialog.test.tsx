import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'

import { ComposeDialog } from '@/features/datasets/compose-dialog'
import type { Dataset } from '@/lib/api/queries'
import { playApi, type Answer } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

const source = { key: 'eggs', name: 'Eggs', splits: { train: 20, dev: 0, test: 5 } } as Dataset
const PATH = '/api/datasets/eggs/compose'

const beside = [{ path: '/datasets/:key', element: <p>the new one</p> }]

function shown(answer: Answer) {
  const sent = playApi(({ path }) => (path === PATH ? answer : undefined))
  const dialog = <ComposeDialog source={source} onProgress={() => null} onClose={() => null} />
  show(dialog, { path: '/', beside })
  return sent
}

const refusal = (...fields: { field: string; code: string; message: string }[]): Answer => ({
  status: 400,
  body: { error: { code: 'invalid', message: 'No.', remedy: 'Else.', fields } },
})

describe('the dialog that composes tasks', () => {
  it('asks for what is chosen and shows the new dataset', async () => {
    const sent = shown({ status: 201, body: { ...source, key: 'eggs-composed' } })
    expect(screen.queryByLabelText('Dev')).toBeNull()
    fireEvent.click(screen.getByLabelText(/Hard/))
    expect(screen.getByRole('status').textContent).toBe('60 tasks in all: 30 easy and 30 medium')
    fireEvent.click(screen.getByRole('button', { name: 'Compose 60 tasks' }))
    expect(await screen.findByText('the new one')).toBeTruthy()
    expect(sent.find(({ path }) => path === PATH)?.body).toMatchObject({
      key: 'eggs-composed',
      levels: ['easy', 'medium'],
      splits: { train: 0, dev: 0, test: 30 },
    })
  })

  it('has no task to compose where no level is chosen', () => {
    shown({ status: 201 })
    for (const level of [/Easy/, /Medium/, /Hard/]) fireEvent.click(screen.getByLabelText(level))
    const compose = screen.getByRole('button', { name: 'Compose 0 tasks' })
    expect(compose).toHaveProperty('disabled', true)
  })

  it('tells each error once, at its field', async () => {
    shown(
      refusal(
        { field: 'key', code: 'key_taken', message: 'The key is taken.' },
        { field: 'splits.test', code: 'too_few_problems', message: 'Too few problems.' },
        { field: 'splits', code: 'too_many_tasks', message: 'Too many tasks.' },
        { field: 'levels.0', code: 'invalid_choice', message: 'No such level.' },
      ),
    )
    fireEvent.click(screen.getByRole('button', { name: 'Compose 90 tasks' }))
    const key = (await screen.findByText('The key is taken.')).parentElement
    expect(key?.textContent).toContain('Key')
    expect(screen.getByText('Too few problems.').parentElement?.textContent).toContain('Test')
    expect(screen.getByText('Too many tasks.')).toBeTruthy()
    expect(screen.getByText('No such level.')).toBeTruthy()
    expect(screen.queryByText('Else.')).toBeNull()
  })

  it('tells how far it is, and ends it when it is closed', async () => {
    const told = { phase: 'composing', done: 400, total: 1_000, seconds: 2 }
    const asked = playApi(({ path }) =>
      path === PATH ? new Promise<Answer>(() => null) : { body: told },
    )
    const onProgress = vi.fn()
    const { unmount } = show(
      <ComposeDialog source={source} onProgress={onProgress} onClose={() => null} />,
    )
    fireEvent.click(screen.getByRole('button', { name: 'Compose 90 tasks' }))
    expect(
      await screen.findByText(/^Making the tasks: 400 of 1,000 tasks, about 3 s left/, undefined, {
        timeout: 5_000,
      }),
    ).toBeTruthy()
    expect(onProgress).toHaveBeenLastCalledWith('Making 40 %')
    unmount()
    await waitFor(() => expect(asked.at(-1)?.method).toBe('DELETE'))
    expect(asked.at(-1)?.path).toMatch(/^\/api\/datasets\/imports\/[-0-9a-f]{36}$/)
    expect(onProgress).toHaveBeenLastCalledWith(null)
  })

  it('tells an error of no field, too', async () => {
    shown(refusal())
    fireEvent.click(screen.getByRole('button', { name: 'Compose 90 tasks' }))
    expect(await screen.findByText('Else.')).toBeTruthy()
  })
})
