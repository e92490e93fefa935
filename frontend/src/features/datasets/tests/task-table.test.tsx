import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { describe, expect, it } from 'vitest'

import { TaskTable } from '@/features/datasets/task-table'
import type { Dataset } from '@/lib/api/queries'
import { playApi } from '@/lib/tests/play-api'

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

const LIST = '/api/datasets/sums/tasks'

/** A dataset of which only task 1 is on the first page, its question cut. */
function show(address: string) {
  const sent = playApi(({ path }) => {
    if (path === LIST) {
      const first = { ...task(1), query: 'Quest' }
      return { body: { results: [first], next: null, previous: null } }
    }
    const id = /\/tasks\/([17])$/.exec(path)?.[1]
    return id === undefined ? undefined : { body: task(Number(id)) }
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

  it('opens one whose row is loaded whole', async () => {
    show('/?task=1')
    expect((await screen.findByRole('dialog')).textContent).toContain('Question 1')
  })

  it('says so when the task is gone', async () => {
    show('/?task=8')
    expect(await screen.findByText('This task is no longer there')).toBeTruthy()
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('asks for nothing that is not a number', async () => {
    const sent = show('/?task=x')
    expect(await screen.findByText('This task is no longer there')).toBeTruthy()
    expect(sent.filter(({ path }) => path !== LIST)).toEqual([])
  })
})
