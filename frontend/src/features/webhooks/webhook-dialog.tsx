import { useState } from 'react'

import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { TextField } from '@/components/text-field'
import { fieldMessage, toApiError } from '@/lib/api/errors'
import { useMe } from '@/lib/api/queries'
import { strings } from '@/strings/studio'

import type { Webhook } from './use-webhooks'
import { webhookStrings as text } from '@/strings/webhooks'

export interface Wanted {
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

export function WebhookDialog({ webhook, isPending, error, onSave, onClose }: Readonly<Props>) {
  const mayAllow = useMe()?.permissions.curate ?? false
  const [name, setName] = useState(webhook?.name ?? '')
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [isPrivate, setPrivate] = useState(webhook?.allow_private_address ?? false)
  const problem = error ? toApiError(error) : null
  const ready = name.trim() !== '' && url.trim() !== ''
  return (
    <Dialog
      isOpen
      title={webhook ? text.editTitle(webhook.name) : text.add}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button
            variant="primary"
            isPending={isPending}
            isDisabled={!ready}
            onPress={() =>
              onSave({ name: name.trim(), url: url.trim(), allow_private_address: isPrivate })
            }
          >
            {webhook ? text.save : text.add}
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
        {problem ? <ErrorPanel problem={problem} /> : null}
      </div>
    </Dialog>
  )
}
