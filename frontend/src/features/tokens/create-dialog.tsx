import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { SecretDialog } from '@/components/secret-dialog'
import { Select } from '@/components/select'
import { TextField } from '@/components/text-field'
import { api, unwrap } from '@/lib/api/client'
import { fieldMessage, toApiError } from '@/lib/api/errors'
import { useMe } from '@/lib/api/queries'
import { strings } from '@/strings/studio'

import { tokensQuery, type Scope } from './tokens-query'

const text = strings.tokens
const DAY_MS = 86_400_000
const days = Object.entries(text.expiries).map(([key, label]) => ({ key, label }))

export function CreateDialog({ onClose }: Readonly<{ onClose: () => void }>) {
  const client = useQueryClient()
  const permissions = useMe()?.permissions
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['read'])
  const [expiry, setExpiry] = useState('90')
  const create = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/me/tokens', {
          body: {
            name: name.trim(),
            scopes: [...scopes],
            expires_at: new Date(Date.now() + Number(expiry) * DAY_MS).toISOString(),
          },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  })
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
    <Dialog
      isOpen
      title={text.create}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button
            variant="primary"
            isPending={create.isPending}
            isDisabled={name.trim() === '' || scopes.length === 0}
            onPress={() => create.mutate()}
          >
            {text.create}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
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
        {error ? <ErrorPanel problem={error} /> : null}
      </div>
    </Dialog>
  )
}
