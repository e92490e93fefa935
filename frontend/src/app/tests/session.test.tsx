import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, render, screen } from '@testing-library/react'
import { useEffect } from 'react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, it, vi } from 'vitest'

import { Shell } from '@/app/shell'
import { jobTopic } from '@/lib/stream/frames'
import { watchTopic } from '@/lib/stream/stream'
import { stubSources } from '@/lib/stream/tests/fakes'

function Watching() {
  useEffect(() => watchTopic(jobTopic('j1'), () => undefined), [])
  return <p>the page</p>
}

it('a page that only listens leads to the login page once the session has ended', async () => {
  vi.useFakeTimers()
  const sources = stubSources()
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({}, { status: 401 })))
  const client = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: 60_000 } },
  })
  client.setQueryData(['me'], { username: 'ada', groups: [], permissions: { run: true } })
  const router = createMemoryRouter(
    [
      {
        path: '/',
        element: <Shell />,
        children: [{ path: 'training/:id', element: <Watching /> }],
      },
      { path: '/login', element: <p>log in</p> },
    ],
    { initialEntries: ['/training/j1?tab=settings'] },
  )
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  expect(screen.getByText('the page')).toBeTruthy()
  for (let failure = 0; failure < 4; failure += 1)
    await act(async () => {
      await vi.advanceTimersByTimeAsync(8_000)
      sources.at(-1)?.emit('error')
    })
  await act(() => vi.advanceTimersByTimeAsync(1_000))
  expect(screen.getByText('log in')).toBeTruthy()
  expect(router.state.location.search).toBe('?next=%2Ftraining%2Fj1%3Ftab%3Dsettings')
})
