import { QueryClient, QueryClientProvider, type QueryKey } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'

import { RunContext, useRun } from '@/components/run/run-context'
import { createRunStore } from '@/components/run/run-store'
import { WorkingBlock } from '@/components/working'
import { FAMILIES } from '@/families/registry'
import type { components } from '@/generated/api'
import type { Envelope, Frame } from '@/graph/frames'
import { checkpointQuery } from '@/lib/api/checkpoints'
import { queries } from '@/lib/api/queries'
import { OriginsContext } from '@/lib/own-pages'

import { RunBody } from './run-body'

export type SharedRun = components['schemas']['SharedRun']

/** A run that has ended, with everything that its page shows. */
export interface Recorded {
  readonly shared: SharedRun
  readonly events: readonly Envelope[]
}

interface Props extends Recorded {
  /** The run's address in the API, where it is not that of its members. */
  apiPath?: string
  actions: ReactNode
}

/** A run as it was recorded: read, and with nothing to press that would change anything. */
export function StoredRun({ shared, events, apiPath, actions }: Readonly<Props>) {
  const [store] = useState(() => {
    const { run: detail } = shared
    const run = detail.id
    const frames: Frame[] = [
      { type: 'snapshot', run, detail, events, partial: {} },
      { type: 'end', run, detail },
    ]
    const made = createRunStore(run, FAMILIES, apiPath)
    made.getState().applyFrames(frames)
    return made
  })
  return (
    <AsStranger shared={shared}>
      <RunContext value={store}>
        <WhenFetched actions={actions} />
      </RunContext>
    </AsStranger>
  )
}

/** Its family may have to be fetched first. */
function WhenFetched({ actions }: Readonly<{ actions: ReactNode }>) {
  const isThere = useRun(({ view }) => view.detail !== null)
  return isThere ? <RunBody actions={actions} /> : <WorkingBlock />
}

/** What the parts of the run page would ask the studio for is answered from the recording alone, also
 * for somebody who is logged in: they see what everybody sees of it. */
function AsStranger({ shared, children }: Readonly<{ shared: SharedRun; children: ReactNode }>) {
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
    const { run, method, role_names: names, trained_config: trained } = shared
    const roles = Object.entries(names).map(([key, name]) => ({ key, name }))
    const answers: readonly (readonly [QueryKey, unknown])[] = [
      [queries.me.queryKey, null],
      [queries.methods.queryKey, method ? [method] : []],
      [queries.pool(run.pool ?? '').queryKey, { roles }],
      [checkpointQuery(run.checkpoint ?? '').queryKey, { run_config: trained }],
    ]
    for (const [key, answer] of answers) made.setQueryData(key, answer)
    return made
  })
  return (
    <QueryClientProvider client={client}>
      <OriginsContext value={shared.origins}>{children}</OriginsContext>
    </QueryClientProvider>
  )
}
