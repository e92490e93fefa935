import { QueryClient, QueryClientProvider, useQuery, type QueryKey } from '@tanstack/react-query'
import { LogIn } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Link, useLocation, useParams } from 'react-router'

import { ErrorPanel } from '@/components/error-panel'
import { Mark } from '@/components/mark'
import { RunContext } from '@/components/run/run-context'
import { createRunStore } from '@/components/run/run-store'
import { WorkingBlock } from '@/components/working'
import type { components } from '@/generated/api'
import type { Envelope, Frame } from '@/graph/frames'
import { checkpointQuery } from '@/lib/api/checkpoints'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { queries } from '@/lib/api/queries'
import { strings } from '@/lib/strings'
import { useTitle } from '@/lib/use-title'

import { TakeAway } from './run-actions'
import { RunBody } from './run-body'
import { text as words } from './share-strings'

type SharedRun = components['schemas']['SharedRun']

const text = words.shared

interface Loaded {
  readonly shared: SharedRun
  readonly frames: readonly Frame[]
}

/** A run that somebody has passed on: read without an account, and with nothing to press. */
export function SharedPage() {
  const { token = '' } = useParams()
  const { search } = useLocation()
  useTitle(text.about)
  const loaded = useQuery({
    queryKey: ['shared', token],
    queryFn: () => load(token),
    staleTime: Infinity,
  })
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface-1 px-4 py-2 sm:px-6">
        <Mark />
        <span className="font-semibold">{strings.product}</span>
        <span className="flex-1 text-ink-3">{text.about}</span>
        <Link
          to={loaded.data ? `/runs/${loaded.data.shared.run.id}${search}` : '/'}
          className="inline-flex items-center gap-1.5 rounded-sm text-accent hover:underline"
        >
          <LogIn size={14} aria-hidden />
          {text.enter}
        </Link>
      </header>
      <main id="main" className="flex min-w-0 flex-1 flex-col">
        {loaded.isPending ? <WorkingBlock /> : null}
        {loaded.error ? (
          <div className="mx-auto w-full max-w-xl p-6">
            <ErrorPanel problem={toApiError(loaded.error)} />
          </div>
        ) : null}
        {loaded.data ? <Stored key={token} {...loaded.data} /> : null}
      </main>
    </div>
  )
}

function Stored({ shared, frames }: Readonly<Loaded>) {
  const [store] = useState(() => {
    const made = createRunStore(shared.run.id)
    made.getState().applyFrames(frames)
    return made
  })
  return (
    <AsStranger shared={shared}>
      <RunContext value={store}>
        <RunBody actions={<TakeAway />} />
      </RunContext>
    </AsStranger>
  )
}

interface StrangerProps {
  shared: SharedRun
  children: ReactNode
}

/** What the parts of the run page would ask the studio for is answered from the link alone, also
 * for somebody who is logged in: they see what they have passed on. */
function AsStranger({ shared, children }: Readonly<StrangerProps>) {
  const [client] = useState(() => {
    const made = new QueryClient({
      defaultOptions: {
        queries: {
          gcTime: Infinity,
          retry: false,
          refetchOnMount: false,
          refetchOnWindowFocus: false,
          refetchOnReconnect: false,
        },
      },
    })
    const { run, method, role_names: names } = shared
    const roles = Object.entries(names).map(([key, name]) => ({ key, name }))
    const answers: readonly (readonly [QueryKey, unknown])[] = [
      [queries.me.queryKey, null],
      [queries.methods.queryKey, method ? [method] : []],
      [queries.pool(run.pool ?? '').queryKey, { roles }],
      [checkpointQuery(run.checkpoint ?? '').queryKey, null],
    ]
    for (const [key, answer] of answers) made.setQueryData(key, answer)
    return made
  })
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>
}

/** The run and its whole trace, page after page. */
async function load(token: string): Promise<Loaded> {
  const path = { token }
  const shared = await unwrap(api.GET('/api/shared/{token}', { params: { path } }))
  const run = shared.run.id
  const events: Envelope[] = []
  let after: string | undefined
  for (;;) {
    const query = { page_size: PAGE_SIZE, ...(after ? { after } : {}) }
    const page = await unwrap(api.GET('/api/shared/{token}/events', { params: { path, query } }))
    // The schema leaves an event open; what it can be is generated from the events themselves.
    for (const each of page.results as unknown as readonly Envelope[]) events.push(each)
    if (page.ended || !page.next_after) break
    after = page.next_after
  }
  const detail = shared.run
  const whole: Frame = { type: 'snapshot', run, detail, events, partial: {} }
  return { shared, frames: [whole, { type: 'end', run, detail }] }
}

/** The most that the API gives strangers at once. */
const PAGE_SIZE = 500
