import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, it } from 'vitest'

import { RunContext } from '@/components/run/run-context'
import { createRunStore } from '@/components/run/run-store'
import { FAMILIES } from '@/families/registry'
import { CompareMenu } from '@/features/run/compare-menu'
import { detailOf, recording } from '@/graph/tests/frames'
import { playApi } from '@/lib/tests/play-api'

const frames = recording('mashost')
const other = (id: string, evaluation: string | null) => ({
  ...detailOf(frames),
  id,
  method: 'direct',
  answer: `answer ${id}`,
  evaluation,
})

it('offers every run of the question, those of evaluations too, page by page', async () => {
  const sent = playApi(({ query }) => {
    const rest = { results: [other('third', null)], next: null, previous: null }
    const next = 'http://studio/api/runs?cursor=b'
    const first = { results: [other('first', null), other('second', 'e1')], next, previous: null }
    return { body: query.has('cursor') ? rest : first }
  })
  const store = createRunStore(frames[0]?.run ?? '', FAMILIES)
  store.getState().applyFrames(frames)
  const client = new QueryClient()
  client.setQueryData(['methods'], [])
  render(
    <MemoryRouter>
      <QueryClientProvider client={client}>
        <RunContext value={store}>
          <CompareMenu />
        </RunContext>
      </QueryClientProvider>
    </MemoryRouter>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Compare' }))
  await screen.findByText(/answer second/)
  expect(screen.getByText(/in an evaluation/)).toBeTruthy()
  const asked = sent.find(({ query }) => query.has('same_query'))
  expect(asked?.query.get('answers')).toBe('true')
  fireEvent.click(screen.getByRole('menuitem', { name: 'More of them' }))
  await screen.findByText(/answer third/)
  expect(screen.getByText(/answer first/)).toBeTruthy()
  expect(screen.queryByRole('menuitem', { name: 'More of them' })).toBeNull()
})
