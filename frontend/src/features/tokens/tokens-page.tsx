import { queryOptions, useQuery } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'

import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { EmptyState } from '@/components/empty-state'
import { FormDialog } from '@/components/form-dialog'
import { Page } from '@/components/page'
import { QueryState } from '@/components/query-state'
import { SecretDialog } from '@/components/secret-dialog'
import { Select } from '@/components/select'
import { TextField } from '@/components/text-field'
import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { fieldMessage, toApiError } from '@/lib/api/errors'
import { useMe } from '@/lib/api/queries'
import { useChange } from '@/lib/api/use-change'
import { formatAgo, formatDateTime } from '@/lib/format'
import { useNow } from '@/lib/use-now'
import { useTitle } from '@/lib/use-title'
import { strings } from '@/strings/studio'

export function TokensPage() {
  useTitle(strings.tokens.title)
  const tokens = useQuery(tokensQuery)
  const [creating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<Token | null>(null)
  const create = (
    <Button variant="primary" onPress={() => setCreating(true)} icon={Plus}>
      {strings.tokens.create}
    </Button>
  )
  return (
    <Page width="narrow" title={strings.tokens.title} lead={strings.tokens.lead} actions={create}>
      <QueryState of={tokens} />
      {tokens.data?.length === 0 ? (
        <div className="rounded-lg border border-line bg-surface-1">
          <EmptyState icon={KeyRound} title={strings.tokens.emptyTitle}>
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
  const params = { path: { token_id: token.id } }
  const revoke = useChange(
    () => api.DELETE('/api/me/tokens/{token_id}', { params }),
    [tokensQuery.queryKey],
    onClose,
  )
  return (
    <ConfirmDialog
      title={strings.tokens.revokeTitle(token.name)}
      body={strings.tokens.revokeBody}
      action={strings.tokens.revoke}
      deed={revoke}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    />
  )
}

interface Props {
  tokens: readonly Token[]
  onRevoke: (token: Token) => void
}

function TokenList({ tokens, onRevoke }: Readonly<Props>) {
  const now = useNow()
  const text = strings.tokens
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-surface-1">
      {tokens.map((token) => {
        const expired = Date.parse(token.expires_at) < now
        return (
          <li key={token.id} className="flex items-start justify-between gap-4 px-4 py-3">
            <div className="flex min-w-0 flex-col gap-1">
              <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <span className="font-medium">{token.name}</span>
                <span className="font-mono text-xs text-ink-3">{token.prefix}…</span>
                {token.scopes.map((scope) => (
                  <Badge key={scope} title={text.scope[scope]}>
                    {scope}
                  </Badge>
                ))}
                {expired ? <Badge tone="bad">{text.expired}</Badge> : null}
              </div>
              <p className="text-xs text-ink-3">
                {text.expires} {formatDateTime(token.expires_at)} · {text.lastUsed}{' '}
                {token.last_used_at ? formatAgo(token.last_used_at, now) : text.never}
              </p>
            </div>
            <Button size="sm" variant="danger" onPress={() => onRevoke(token)}>
              {text.revoke}
            </Button>
          </li>
        )
      })}
    </ul>
  )
}

const text = strings.tokens
const DAY_MS = 86_400_000
const days = Object.entries(text.expiries).map(([key, label]) => ({ key, label }))

function CreateDialog({ onClose }: Readonly<{ onClose: () => void }>) {
  const permissions = useMe()?.permissions
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['read'])
  const [expiry, setExpiry] = useState('90')
  const create = useChange(() => {
    const expires_at = new Date(Date.now() + Number(expiry) * DAY_MS).toISOString()
    const body = { name: name.trim(), scopes: [...scopes], expires_at }
    return unwrap(api.POST('/api/me/tokens', { body }))
  }, [tokensQuery.queryKey])
  if (create.data) {
    return (
      <SecretDialog
        title={text.secretTitle}
        body={text.secretBody}
        done={text.done}
        secret={create.data.secret}
        onClose={onClose}
      />
    )
  }

  const error = create.error ? toApiError(create.error) : null
  const allowed: Readonly<Record<Scope, boolean>> = {
    read: true,
    run: permissions?.run ?? false,
    curate: permissions?.curate ?? false,
  }
  const offered = (['read', 'run', 'curate'] as const).filter((scope) => allowed[scope])
  return (
    <FormDialog
      title={text.create}
      onClose={onClose}
      action={text.create}
      deed={create}
      isDisabled={name.trim() === '' || scopes.length === 0}
      onSubmit={() => create.mutate()}
    >
      <TextField
        label={text.name}
        value={name}
        onChange={setName}
        autoFocus
        maxLength={100}
        help={text.nameHelp}
        error={fieldMessage(error, 'name')}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="pb-1 text-xs font-medium text-ink-2">{text.scopes}</legend>
        {offered.map((scope) => (
          <Checkbox
            key={scope}
            isSelected={scopes.includes(scope)}
            onChange={(selected) =>
              setScopes(selected ? [...scopes, scope] : scopes.filter((one) => one !== scope))
            }
          >
            {text.scope[scope]}
          </Checkbox>
        ))}
        {scopes.length === 0 ? (
          <p className="text-xs font-medium text-bad">{text.noScope}</p>
        ) : null}
      </fieldset>
      <Select
        label={text.expiry}
        options={days}
        value={expiry}
        onChange={setExpiry}
        error={fieldMessage(error, 'expires_at')}
      />
    </FormDialog>
  )
}

type Token = components['schemas']['Token']
type Scope = Token['scopes'][number]

const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: () => unwrap(api.GET('/api/me/tokens')),
})
