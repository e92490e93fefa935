/** Parts of a run's page, shown for tests. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import type { ReactNode } from 'react'

import { RunContext } from '@/components/run/run-context'
import { createRunStore } from '@/components/run/run-store'
import { FAMILIES } from '@/families/registry'
import type { Frame } from '@/graph/frames'
import { recording, type Recording } from '@/graph/tests/frames'

/** Only what the recording tells: nothing is fetched. */
export function show(name: Recording, page: ReactNode, count = Infinity) {
  return showFrames(recording(name).slice(0, count), page)
}

export function showFrames(frames: readonly Frame[], page: ReactNode) {
  const store = createRunStore(frames[0]?.run ?? '', FAMILIES)
  store.getState().applyFrames(frames)
  const client = new QueryClient()
  client.setQueryData(['methods'], [])
  client.setQueryData(['me'], { username: 'ada', permissions: { run: true, admin: true } })
  client.setQueryData(['pool', 'general'], { roles: [] })
  render(
    <QueryClientProvider client={client}>
      <RunContext value={store}>{page}</RunContext>
    </QueryClientProvider>,
  )
  return { store }
}
