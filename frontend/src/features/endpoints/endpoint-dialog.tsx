import { useState } from 'react'

import { Checkbox } from '@/components/checkbox'
import { FormDialog } from '@/components/form-dialog'
import { NumberField } from '@/components/number-field'
import { TextArea } from '@/components/text-area'
import { TextField } from '@/components/text-field'
import { fieldMessage, toApiError } from '@/lib/api/errors'
import type { Endpoint } from '@/lib/api/queries'
import { strings } from '@/strings/studio'

import { draftOf, readFields, type EndpointDraft } from './endpoint-draft'
import { useSaveEndpoint } from './use-endpoints'

const { fields, help } = strings.endpoints

interface Props {
  /** null: a new one. */
  endpoint: Endpoint | null
  onClose: () => void
}

export function EndpointDialog({ endpoint, onClose }: Readonly<Props>) {
  const [draft, setDraft] = useState<EndpointDraft>(() => draftOf(endpoint))
  const save = useSaveEndpoint(endpoint, onClose)
  const error = save.error ? toApiError(save.error) : null
  const isReadable = readFields(draft.extra_body) !== null
  const change = (part: Partial<EndpointDraft>): void => setDraft({ ...draft, ...part })
  const text = (key: 'key' | 'name' | 'base_url' | 'model' | 'api_key_env') => ({
    label: fields[key],
    value: draft[key],
    onChange: (value: string) => change({ [key]: value }),
    error: fieldMessage(error, key),
  })
  const number = (
    key:
      | 'context_length'
      | 'prompt_price'
      | 'completion_price'
      | 'max_concurrency'
      | 'timeout_seconds',
  ) => ({
    label: fields[key],
    value: draft[key],
    onChange: (value: number | null) => change({ [key]: value }),
    minimum: key.endsWith('price') ? 0 : 1,
    integer: !key.endsWith('price') && key !== 'timeout_seconds',
    error: fieldMessage(error, key),
  })
  const flag = (
    key: 'native_tools' | 'sees_images' | 'allow_private_address' | 'enabled' | 'is_default',
  ) => ({
    isSelected: draft[key],
    onChange: (value: boolean) => change({ [key]: value }),
    children: fields[key],
  })
  return (
    <FormDialog
      wide
      onClose={onClose}
      title={endpoint ? strings.endpoints.editTitle(endpoint.name) : strings.endpoints.add}
      action={strings.common.save}
      deed={save}
      isDisabled={!draft.key || !draft.name || !draft.base_url || !draft.model || !isReadable}
      onSubmit={() => save.mutate(draft)}
      className="grid gap-x-3 gap-y-4 sm:grid-cols-2"
    >
      <TextField {...text('name')} autoFocus />
      <TextField {...text('key')} mono isDisabled={endpoint !== null} help={help.key} />
      <TextField
        {...text('base_url')}
        mono
        help={help.base_url}
        placeholder="http://127.0.0.1:8000/v1"
      />
      <TextField {...text('model')} mono />
      <TextField
        {...text('api_key_env')}
        mono
        help={help.api_key_env}
        placeholder="OPENAI_API_KEY"
      />
      <NumberField
        {...number('context_length')}
        aside={strings.endpoints.units.tokens}
        help={help.context_length}
      />
      <NumberField
        label={fields.parameters}
        value={draft.billions}
        onChange={(billions) => change({ billions })}
        minimum={0}
        help={help.parameters}
        error={fieldMessage(error, 'parameters')}
      />
      <NumberField {...number('prompt_price')} help={help.price} />
      <NumberField {...number('completion_price')} help={help.price} />
      <NumberField {...number('max_concurrency')} help={help.max_concurrency} />
      <NumberField
        {...number('timeout_seconds')}
        aside={strings.endpoints.units.seconds}
        help={help.timeout_seconds}
      />
      <TextArea
        isCode
        label={fields.extra_body}
        value={draft.extra_body}
        onChange={(extra_body) => change({ extra_body })}
        help={help.extra_body}
        error={isReadable ? fieldMessage(error, 'extra_body') : strings.endpoints.notAnObject}
        placeholder='{"top_p": 0.9}'
        className="sm:col-span-2"
      />
      <Checkbox {...flag('enabled')} />
      <Checkbox {...flag('is_default')} help={help.is_default} />
      <Checkbox {...flag('native_tools')} />
      <Checkbox {...flag('sees_images')} help={help.sees_images} />
      <Checkbox {...flag('allow_private_address')} help={help.allow_private_address} />
    </FormDialog>
  )
}
