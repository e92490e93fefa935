import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { TaskTable } from '@/features/datasets/task-table'
import type { Dataset } from '@/lib/api/queries'
import { playApi } from '@/lib/tests/play-api'
import { show } from '@/lib/tests/show'

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
function shown(address: string) {
  const sent = playApi(({ path }) => {
    if (path === LIST) {
      const first = { ...task(1), query: 'Quest' }
      return { body: { results: [first], next: null, previous: null } }
    }
    const id = /\/tasks\/([17])$/.exec(path)?.[1]
    return id === undefined ? undefined : { body: task(Number(id)) }
  })
  show(<TaskTable dataset={{ key: 'sums' } as Dataset} split="dev" />, { at: address })
  return sent
}

describe('a link to a task', () => {
  it('opens it wherever it stands', async () => {
    shown('/?task=7')
    expect((await screen.findByRole('dialog')).textContent).toContain('Question 7')
  })

  it('opens one whose row is loaded whole', async () => {
    shown('/?task=1')
    expect((await screen.findByRole('dialog')).textContent).toContain('Question 1')
  })

  it('says so when the task is gone', async () => {
    shown('/?task=8')
    expect(await screen.findByText('This task does not exist')).toBeTruthy()
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('asks for nothing that is not a number', async () => {
    const sent = shown('/?task=x')
    expect(await screen.findByText('This task does not exist')).toBeTruthy()
    expect(sent.filter(({ path }) => path !== LIST)).toEqual([])
  })
})
