import { act, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { RationalityCard } from '@/features/evaluations/rationality-card'
import { evaluation, showAt } from '@/features/evaluations/tests/support'
import { playApi } from '@/lib/tests/play-api'

const MISSING = 'No answer was analysed for a minute'
let seen = 0
let answers = 8

beforeEach(() => {
  seen = 0
  answers = 8
  vi.useFakeTimers()
  playApi(() => ({
    body: {
      status: seen < answers ? 'pending' : 'ready',
      answers,
      looked_at: seen,
      arms: [],
      structure: null,
    },
  }))
})

const pass = (seconds: number) => act(() => vi.advanceTimersByTimeAsync(seconds * 1_000))

describe('why answers are wrong', () => {
  it('says after a minute which worker is missing, until one has looked', async () => {
    showAt('/', <RationalityCard evaluation={evaluation()} />)
    await pass(30)
    expect(screen.getByText('0 of 8 answers analysed')).toBeTruthy()
    expect(screen.queryByText(MISSING)).toBeNull()
    await pass(35)
    expect(screen.getByText(MISSING)).toBeTruthy()
    expect(screen.getByText(/celery .*-Q inference,evaluation/)).toBeTruthy()

    seen = 3
    await pass(35)
    expect(screen.getByText(/^3 of 8 answers analysed, about .* left$/)).toBeTruthy()
    expect(screen.queryByText(MISSING)).toBeNull()
  })

  it('tells how teams are compared with smaller and larger ones where there is an answer', async () => {
    showAt('/', <RationalityCard evaluation={evaluation()} />)
    await pass(1)
    expect(screen.getByText(/rationality .* --structure 100/)).toBeTruthy()
  })

  it('does not where nothing was answered', async () => {
    answers = 0
    showAt('/', <RationalityCard evaluation={evaluation()} />)
    await pass(1)
    expect(screen.queryByText(/--structure 100/)).toBeNull()
  })
})
