import { useQuery } from '@tanstack/react-query'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { useState } from 'react'

import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Disclosure } from '@/components/disclosure'
import { EmptyState } from '@/components/empty-state'
import { FormDialog } from '@/components/form-dialog'
import { Page } from '@/components/page'
import { QueryState } from '@/components/query-state'
import { ScrollRegion } from '@/components/scroll-region'
import { SecretDialog } from '@/components/secret-dialog'
import { TextField } from '@/components/text-field'
import { fieldMessage, toApiError } from '@/lib/api/errors'
import { useMe } from '@/lib/api/queries'
import { useTitle } from '@/lib/use-title'
import { strings } from '@/strings/studio'
import { webhookStrings as text } from '@/strings/webhooks'

import {
  useWebhookCreate,
  useWebhookDelete,
  useWebhookRotate,
  useWebhookUpdate,
  webhooksQuery,
  type Webhook,
} from './use-webhooks'
import { WebhookCard } from './webhook-card'

type Asked =
  | { readonly what: 'create' }
  | { readonly what: 'edit' | 'rotate' | 'delete'; readonly webhook: Webhook }

export function WebhooksPage() {
  useTitle(text.title)
  const webhooks = useQuery(webhooksQuery)
  const canChange = useMe()?.permissions.run ?? false
  const [asked, setAsked] = useState<Asked | null>(null)
  const close = (): void => setAsked(null)
  const add = canChange ? (
    <Button variant="primary" onPress={() => setAsked({ what: 'create' })} icon={Plus}>
      {text.add}
    </Button>
  ) : null
  return (
    <Page width="narrow" title={text.title} lead={text.lead} actions={add}>
      <QueryState of={webhooks} />
      {webhooks.data?.length === 0 ? (
        <div className="rounded-lg border border-line bg-surface-1">
          <EmptyState icon={WebhookIcon} title={text.emptyTitle}>
            {text.emptyBody}
          </EmptyState>
        </div>
      ) : null}
      <div className="flex flex-col gap-4">
        {webhooks.data?.map((webhook) => (
          <WebhookCard
            key={webhook.id}
            webhook={webhook}
            canChange={canChange}
            onEdit={() => setAsked({ what: 'edit', webhook })}
            onRotate={() => setAsked({ what: 'rotate', webhook })}
            onDelete={() => setAsked({ what: 'delete', webhook })}
          />
        ))}
        <Disclosure title={text.how} level={2}>
          <p className="pb-2 text-sm text-ink-2">{text.sampleLead}</p>
          <ScrollRegion
            label={text.how}
            className="overflow-x-auto rounded-md border border-line bg-surface-1"
          >
            <pre className="p-3 font-mono text-xs">{text.sample}</pre>
          </ScrollRegion>
        </Disclosure>
      </div>
      {asked?.what === 'create' ? <Create onClose={close} /> : null}
      {asked?.what === 'edit' ? <Edit webhook={asked.webhook} onClose={close} /> : null}
      {asked?.what === 'rotate' ? <Rotate webhook={asked.webhook} onClose={close} /> : null}
      {asked?.what === 'delete' ? <Remove webhook={asked.webhook} onClose={close} /> : null}
    </Page>
  )
}

interface DialogProps {
  webhook: Webhook
  onClose: () => void
}

function Create({ onClose }: Readonly<{ onClose: () => void }>) {
  const create = useWebhookCreate()
  if (create.data) return <Secret secret={create.data.secret} onClose={onClose} />
  return (
    <WebhookDialog
      webhook={null}
      isPending={create.isPending}
      error={create.error}
      onSave={create.mutate}
      onClose={onClose}
    />
  )
}

/** Only what was changed: who may not allow private addresses keeps a permission as it is. */
function Edit({ webhook, onClose }: Readonly<DialogProps>) {
  const update = useWebhookUpdate(webhook, onClose)
  return (
    <WebhookDialog
      webhook={webhook}
      isPending={update.isPending}
      error={update.error}
      onSave={({ name, url, allow_private_address }) =>
        update.mutate({
          ...(name === webhook.name ? {} : { name }),
          ...(url === webhook.url ? {} : { url }),
          ...(allow_private_address === webhook.allow_private_address
            ? {}
            : { allow_private_address }),
        })
      }
      onClose={onClose}
    />
  )
}

function Rotate({ webhook, onClose }: Readonly<DialogProps>) {
  const rotate = useWebhookRotate(webhook)
  if (rotate.data) return <Secret secret={rotate.data.secret} onClose={onClose} />
  return (
    <ConfirmDialog
      title={text.rotateTitle(webhook.name)}
      body={text.rotateBody}
      action={text.rotate}
      deed={rotate}
      onConfirm={() => rotate.mutate()}
      onClose={onClose}
    />
  )
}

function Remove({ webhook, onClose }: Readonly<DialogProps>) {
  const remove = useWebhookDelete(webhook, onClose)
  return (
    <ConfirmDialog
      title={text.deleteTitle(webhook.name)}
      body={text.deleteBody}
      action={strings.common.delete}
      deed={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}

function Secret({ secret, onClose }: Readonly<{ secret: string; onClose: () => void }>) {
  return (
    <SecretDialog
      title={text.secretTitle}
      body={text.secretBody}
      done={text.done}
      secret={secret}
      onClose={onClose}
    />
  )
}

interface Wanted {
  name: string
  url: string
  allow_private_address: boolean
}

interface Props {
  /** null: a new one. */
  webhook: Webhook | null
  isPending: boolean
  error: unknown
  onSave: (wanted: Wanted) => void
  onClose: () => void
}

function WebhookDialog({ webhook, isPending, error, onSave, onClose }: Readonly<Props>) {
  const mayAllow = useMe()?.permissions.curate ?? false
  const [name, setName] = useState(webhook?.name ?? '')
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [isPrivate, setPrivate] = useState(webhook?.allow_private_address ?? false)
  const problem = error ? toApiError(error) : null
  const ready = name.trim() !== '' && url.trim() !== ''
  return (
    <FormDialog
      title={webhook ? text.editTitle(webhook.name) : text.add}
      onClose={onClose}
      action={webhook ? text.save : text.add}
      deed={{ isPending, error }}
      isDisabled={!ready}
      onSubmit={() =>
        onSave({ name: name.trim(), url: url.trim(), allow_private_address: isPrivate })
      }
    >
      <TextField
        label={text.name}
        value={name}
        onChange={setName}
        autoFocus
        maxLength={60}
        help={text.nameHelp}
        error={fieldMessage(problem, 'name')}
      />
      <TextField
        label={text.url}
        value={url}
        onChange={setUrl}
        mono
        type="url"
        inputMode="url"
        placeholder="https://"
        help={text.urlHelp}
        error={fieldMessage(problem, 'url')}
      />
      {mayAllow || isPrivate ? (
        <Checkbox isSelected={isPrivate} onChange={setPrivate} help={text.privateHelp}>
          {text.isPrivate}
        </Checkbox>
      ) : null}
    </FormDialog>
  )
}
