import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { screen, waitFor } from '@testing-library/react'
import { act } from 'react'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { evaluation, pageOf, result, showAt } from '@/features/evaluations/tests/support'
import {
  evaluationQuery,
  isActive,
  resultList,
  summaryQuery,
  useEvaluation,
} from '@/features/evaluations/use-evaluations'
import * as stream from '@/lib/stream/stream'
import { playApi } from '@/lib/tests/play-api'

beforeEach(() => void vi.spyOn(stream, 'watchTopic').mockReturnValue(() => undefined))

const NO_FILTERS = { arm: null, verdict: null, why: null, task: null, q: '' }

function Probe() {
  const known = useEvaluation('e1').data
  return known ? <Findings known={known} /> : null
}

function Findings({ known }: Readonly<{ known: ReturnType<typeof evaluation> }>) {
  const active = isActive(known)
  const answers = useInfiniteQuery(resultList('e1', NO_FILTERS, active)).data
  const summary = useQuery(summaryQuery(known)).data
  const count = answers?.pages.flatMap(({ results }) => results).length
  return <p>{`${known.status} ${count} ${summary?.arms[0]?.n}`}</p>
}

describe('what is read of an evaluation', () => {
  it('is read again at every end, whatever was read before', async () => {
    const running = evaluation({ status: 'running', done: 1, finished_at: null })
    let made = 1
    playApi(({ path }) => {
      if (path === '/api/evaluations/e1') return { body: running }
      if (path.endsWith('/summary')) return { body: { arms: [{ n: made }] } }
      return pageOf(Array.from({ length: made }, (_, id) => result(id)))
    })
    const { client } = showAt('/', <Probe />)
    const become = (part: Partial<typeof running>): void =>
      act(() => {
        client.setQueryData(evaluationQuery('e1').queryKey, { ...running, ...part })
      })
    await screen.findByText('running 1 1')

    made = 2
    become({ status: 'cancelled', finished_at: '2026-01-01T00:01:00Z' })
    await waitFor(() => expect(screen.getByText('cancelled 2 2')).toBeTruthy())
    become({})
    made = 3
    become({ status: 'succeeded', finished_at: '2026-01-01T00:02:00Z' })
    await waitFor(() => expect(screen.getByText('succeeded 3 3')).toBeTruthy())
  })
})
