import { useQuery } from '@tanstack/react-query'
import { LogIn } from 'lucide-react'
import { useLocation, useParams } from 'react-router'

import { Mark } from '@/components/mark'
import { PageProblem } from '@/components/page-problem'
import { TextLink } from '@/components/text-link'
import { WorkingBlock } from '@/components/working'
import type { Envelope } from '@/graph/frames'
import { api, unwrap } from '@/lib/api/client'
import { strings } from '@/strings/studio'
import { useTitle } from '@/lib/use-title'

import { TakeAway } from './run-actions'
import { text as words } from '@/strings/share'

import { StoredRun, type Recorded } from './stored-run'

const text = words.shared

/** A run that somebody has passed on: read without an account, and with nothing to press. */
export function SharedPage() {
  const { token = '' } = useParams()
  const { search } = useLocation()
  const loaded = useQuery({
    queryKey: ['shared', token],
    queryFn: () => load(token),
    staleTime: Infinity,
  })
  useTitle(loaded.error ? text.missing : text.about)
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface-1 px-4 py-2 sm:px-6">
        <Mark />
        <span className="font-semibold">{strings.product}</span>
        <span className="flex-1 text-ink-3">{text.about}</span>
        <TextLink
          to={loaded.data ? `/runs/${loaded.data.shared.run.id}${search}` : '/'}
          className="inline-flex items-center gap-1.5"
        >
          <LogIn size={14} aria-hidden />
          {text.enter}
        </TextLink>
      </header>
      <main id="main" className="flex min-w-0 flex-1 flex-col">
        {loaded.isPending ? <WorkingBlock /> : null}
        {loaded.error ? (
          <PageProblem title={text.missing} of={loaded} to="/" toLabel={text.toStudio} />
        ) : null}
        {loaded.data ? (
          <StoredRun
            key={token}
            {...loaded.data}
            apiPath={`/api/shared/${token}`}
            actions={<TakeAway />}
          />
        ) : null}
      </main>
    </div>
  )
}

/** The run and its whole trace, page after page. */
async function load(token: string): Promise<Recorded> {
  const path = { token }
  const shared = await unwrap(api.GET('/api/shared/{token}', { params: { path } }))
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
  return { shared, events }
}

/** The most that the API gives strangers at once. */
const PAGE_SIZE = 500
