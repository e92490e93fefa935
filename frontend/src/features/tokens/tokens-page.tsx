import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'

import { Button } from '@/components/button'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { EmptyState } from '@/components/empty-state'
import { ErrorPanel } from '@/components/error-panel'
import { Page } from '@/components/page'
import { WorkingBlock } from '@/components/working'
import { api } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { strings } from '@/strings/studio'
import { useTitle } from '@/lib/use-title'

import { CreateDialog } from './create-dialog'
import { TokenList } from './token-list'
import { tokensQuery, type Token } from './tokens-query'

export function TokensPage() {
  useTitle(strings.tokens.title)
  const tokens = useQuery(tokensQuery)
  const [creating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<Token | null>(null)
  const create = (
    <Button
      variant="primary"
      onPress={() => setCreating(true)}
      icon={<Plus size={14} aria-hidden />}
    >
      {strings.tokens.create}
    </Button>
  )
  return (
    <Page width="narrow" title={strings.tokens.title} lead={strings.tokens.lead} actions={create}>
      {tokens.isPending ? <WorkingBlock /> : null}
      {tokens.isError ? (
        <ErrorPanel problem={toApiError(tokens.error)} onRetry={() => void tokens.refetch()} />
      ) : null}
      {tokens.data?.length === 0 ? (
        <div className="rounded-lg border border-line bg-surface-1">
          <EmptyState icon={<KeyRound size={28} aria-hidden />} title={strings.tokens.emptyTitle}>
            {strings.tokens.emptyBody}
          </EmptyState>
        </div>
      ) : null}
      {tokens.data && tokens.data.length > 0 ? (
        <TokenList tokens={tokens.data} onRevoke={setRevoking} />
      ) : null}
      {creating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
      {revoking ? <RevokeDialog token={revoking} onClose={() => setRevoking(null)} /> : null}
    </Page>
  )
}

function RevokeDialog({ token, onClose }: Readonly<{ token: Token; onClose: () => void }>) {
  const client = useQueryClient()
  const revoke = useMutation({
    mutationFn: () =>
      api.DELETE('/api/me/tokens/{token_id}', { params: { path: { token_id: token.id } } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: tokensQuery.queryKey })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={strings.tokens.revokeTitle(token.name)}
      body={strings.tokens.revokeBody}
      action={strings.tokens.revoke}
      isPending={revoke.isPending}
      problem={revoke.error ? toApiError(revoke.error) : null}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    />
  )
}
