import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { TaskTable } from '@/features/datasets/task-table'
import type { Dataset } from '@/lib/api/queries'
import { playApi } from '@/lib/tests/play-api'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const task = (id: number) => ({
  id,
  split: 'dev',
  index: id,
  query: `Question ${id}`,
  reference: null,
  verifier: '',
  domain: '',
  metadata: {},
})

/** A data set of which only task 1 is on the first page. */
function show(address: string) {
  const sent = playApi(({ query }) => {
    const id = query.get('id')
    const results = id === null ? [task(1)] : id === '7' ? [task(7)] : []
    return { body: { results, next: null, previous: null } }
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <MemoryRouter initialEntries={[address]}>
      <QueryClientProvider client={client}>
        <TaskTable dataset={{ key: 'sums' } as Dataset} split="dev" />
      </QueryClientProvider>
    </MemoryRouter>,
  )
  return sent
}

describe('a link to a task', () => {
  it('opens it wherever it stands', async () => {
    show('/?task=7')
    expect((await screen.findByRole('dialog')).textContent).toContain('Question 7')
  })

  it('says so when the task is gone', async () => {
    show('/?task=8')
    expect(await screen.findByText('This task is no longer there')).toBeTruthy()
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('asks for nothing that is not a number', async () => {
    const sent = show('/?task=x')
    expect(await screen.findByText('This task is no longer there')).toBeTruthy()
    expect(sent.filter(({ query }) => query.has('id'))).toEqual([])
  })
})
