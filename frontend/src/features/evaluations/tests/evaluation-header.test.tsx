import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { EvaluationHeader } from '@/features/evaluations/evaluation-header'
import type { Evaluation } from '@/features/evaluations/use-evaluations'
import { playApi } from '@/lib/tests/play-api'

import { evaluation, showAt } from './support'

const show = (part: Partial<Evaluation>) =>
  showAt('/', <EvaluationHeader evaluation={evaluation(part)} />)

const button = (name: string) => screen.queryByRole('button', { name })

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

describe('the header of an evaluation', () => {
  it.each([
    ['running', 'Stop', 'cancel'],
    ['failed', 'Resume', 'resume'],
    ['cancelled', 'Resume', 'resume'],
  ] as const)('of one that is %s offers %s', async (status, name, path) => {
    const requests = playApi(() => ({ body: evaluation() }))
    show({ status })
    fireEvent.click(screen.getByRole('button', { name }))
    await waitFor(() =>
      expect(requests).toMatchObject([{ method: 'POST', path: `/api/evaluations/e1/${path}` }]),
    )
  })

  it('of one that is over offers neither', () => {
    show({ status: 'succeeded' })
    expect([button('Stop'), button('Resume')]).toEqual([null, null])
    expect(button('Delete')).toBeTruthy()
  })

  it('of somebody else only lets it be done again', () => {
    show({ status: 'running', created_by: 'bob' })
    expect(button('Stop')).toBeNull()
    expect(screen.getByRole('link', { name: 'Evaluate again' })).toBeTruthy()
  })

  it('tells the limits of an answer', () => {
    const { budget } = evaluation()
    show({ budget: { ...budget, max_seconds: 86_400 } })
    expect(screen.getByText('24 h 00 min')).toBeTruthy()
    expect(screen.getByText('60,000')).toBeTruthy()
  })
})
