import { useQuery } from '@tanstack/react-query'
import { Cpu, Plus } from 'lucide-react'
import { useState } from 'react'

import { Button } from '@/components/button'
import { EmptyState } from '@/components/empty-state'
import { ErrorPanel } from '@/components/error-panel'
import { Page } from '@/components/page'
import { WorkingBlock } from '@/components/working'
import { toApiError } from '@/lib/api/errors'
import { queries, useMe, type Endpoint } from '@/lib/api/queries'
import { strings } from '@/strings/studio'
import { useParam } from '@/lib/use-param'
import { useTitle } from '@/lib/use-title'

import { DeleteDialog } from './delete-dialog'
import { EndpointCard } from './endpoint-card'
import { EndpointDialog } from './endpoint-dialog'
import { HistoryDialog } from './history-dialog'

type Open = { kind: 'add' } | { kind: 'edit' | 'delete'; endpoint: Endpoint } | null

export function EndpointsPage() {
  useTitle(strings.endpoints.title)
  const endpoints = useQuery(queries.endpoints)
  const curate = useMe()?.permissions.curate ?? false
  const [open, setOpen] = useState<Open>(null)
  const [historyOf, setHistoryOf] = useParam('history')
  const past = curate && endpoints.data?.find(({ key }) => key === historyOf)
  const close = (): void => setOpen(null)
  return (
    <Page
      title={strings.endpoints.title}
      lead={strings.endpoints.lead}
      actions={
        curate ? (
          <Button
            variant="primary"
            onPress={() => setOpen({ kind: 'add' })}
            icon={<Plus size={14} aria-hidden />}
          >
            {strings.endpoints.add}
          </Button>
        ) : null
      }
    >
      {endpoints.isPending ? <WorkingBlock /> : null}
      {endpoints.isError ? (
        <ErrorPanel
          problem={toApiError(endpoints.error)}
          onRetry={() => void endpoints.refetch()}
        />
      ) : null}
      {endpoints.data?.length === 0 ? (
        <EmptyState icon={<Cpu size={28} aria-hidden />} title={strings.endpoints.emptyTitle}>
          {strings.endpoints.emptyBody}
        </EmptyState>
      ) : null}
      <div className="grid items-start gap-4 xl:grid-cols-2">
        {endpoints.data?.map((endpoint) => (
          <EndpointCard
            key={endpoint.key}
            endpoint={endpoint}
            curate={curate}
            onEdit={() => setOpen({ kind: 'edit', endpoint })}
            onDelete={() => setOpen({ kind: 'delete', endpoint })}
            onHistory={() => setHistoryOf(endpoint.key)}
          />
        ))}
      </div>
      {open?.kind === 'add' ? <EndpointDialog endpoint={null} onClose={close} /> : null}
      {open?.kind === 'edit' ? <EndpointDialog endpoint={open.endpoint} onClose={close} /> : null}
      {past ? <HistoryDialog endpoint={past} onClose={() => setHistoryOf(null)} /> : null}
      {open?.kind === 'delete' ? <DeleteDialog endpoint={open.endpoint} onClose={close} /> : null}
    </Page>
  )
}
