import { fireEvent, screen } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'

import { useDraft } from '@/features/ask/draft-store'
import { Samples } from '@/features/ask/ask-page'
import { checkpointsQuery } from '@/lib/api/checkpoints'
import { queries } from '@/lib/api/queries'
import { show } from '@/lib/tests/show'

const ENDPOINTS = [
  { key: 'embedded', name: 'Embedded model', is_default: true, parameters: 135_000_000 },
  { key: 'coder', name: 'Coder', parameters: 494_000_000 },
  { key: 'other', name: 'Other', parameters: null },
]

const shown = (checkpoints: readonly object[] = []) =>
  show(<Samples />, {
    known: [
      [queries.endpoints.queryKey, ENDPOINTS],
      [checkpointsQuery('at_grpo').queryKey, checkpoints],
    ],
    isFresh: true,
  })

beforeEach(() => useDraft.setState(useDraft.getInitialState()))
it('says what model the samples need where the chosen one is smaller', () => {
  shown()
  expect(screen.getByText(/half a billion parameters.*“Embedded model” has 135M/)).toBeTruthy()
})

it.each(['coder', 'other'])('says nothing where it is not known to be smaller: %s', (endpoint) => {
  useDraft.getState().change({ endpoint })
  shown()
  expect(screen.queryByText(/parameters/)).toBeNull()
})

it('takes a sample over as the question', () => {
  shown()
  fireEvent.click(screen.getByRole('button', { name: 'Logic' }))
  expect(useDraft.getState().query).toContain('Is Tom an animal?')
})

it('offers a board only with the team that solves it, and asks that team nothing else', () => {
  shown([{ name: 'at-grpo-nano' }])
  useDraft.getState().change({ endpoint: 'coder' })
  fireEvent.click(screen.getByRole('button', { name: 'Find the way' }))
  const asked = { method: 'at_grpo', checkpoint: 'at-grpo-nano', endpoint: null }
  expect(useDraft.getState()).toMatchObject(asked)
  fireEvent.click(screen.getByRole('button', { name: 'Logic' }))
  expect(useDraft.getState()).toMatchObject({ method: null, checkpoint: null })
})

it('offers no board without that team', () => {
  shown([{ name: 'another' }])
  expect(screen.queryByRole('button', { name: 'Find the way' })).toBeNull()
})
