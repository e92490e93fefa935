import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'

import { showFrames } from '@/components/run/tests/show'
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
  showFrames(frames, <CompareMenu />)
  fireEvent.click(screen.getByRole('button', { name: 'Compare' }))
  await screen.findByText(/answer second/)
  expect(screen.getByText(/in an evaluation/)).toBeTruthy()
  const asked = sent.find(({ query }) => query.has('same_query'))
  expect(asked?.query.get('answers')).toBe('true')
  fireEvent.click(screen.getByRole('menuitem', { name: 'Show more runs' }))
  await screen.findByText(/answer third/)
  expect(screen.getByText(/answer first/)).toBeTruthy()
  expect(screen.queryByRole('menuitem', { name: 'Show more runs' })).toBeNull()
})
