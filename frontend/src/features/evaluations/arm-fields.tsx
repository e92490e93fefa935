import { useQueries } from '@tanstack/react-query'
import { Copy, Trash2 } from 'lucide-react'

import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { CheckpointSelect } from '@/components/checkpoint-select'
import { ConfigForm } from '@/components/config-form'
import { Disclosure } from '@/components/disclosure'
import { NumberField } from '@/components/number-field'
import { Select } from '@/components/select'
import { TextField } from '@/components/text-field'
import { Tooltip } from '@/components/tooltip'
import { useFieldsOf } from '@/lib/api/checkpoints'
import { fieldMessage, type ApiError } from '@/lib/api/errors'
import { queries } from '@/lib/api/queries'
import { changedConfig } from '@/lib/config-schema'
import { strings } from '@/strings/studio'

import { DesignFields } from './design-fields'
import { text } from '@/strings/evaluations'
import type { ArmDraft } from './form-draft'

const { form } = text

interface Props {
  arm: ArmDraft
  index: number
  onChange: (part: Partial<ArmDraft>) => void
  onCopy: () => void
  /** null: the last one stays. */
  onRemove: (() => void) | null
  error: ApiError | null
}

const MOST_REPLY_TOKENS = 100_000

/** What another method has no use for. */
const UNCHOSEN = { checkpoint: null, design: null, design_version: null, config: {} }

/** One way of answering. */
export function ArmFields(props: Readonly<Props>) {
  const { arm, index, onChange, onCopy, onRemove, error } = props
  const [methods, endpoints, pools] = useQueries({
    queries: [queries.methods, queries.endpoints, queries.pools],
  })
  const method = methods.data?.find(({ key }) => key === arm.method)
  const wrong = (field: string) => fieldMessage(error, `arms.${index}.${field}`)
  const standing = (items: readonly { key: string; name: string; is_default?: boolean }[] = []) =>
    items.find(({ is_default }) => is_default)?.key ?? items[0]?.key ?? null
  const enabled = endpoints.data?.filter(({ enabled: isOn }) => isOn !== false)
  const fieldsOf = useFieldsOf(methods.data)
  const fields = method?.needs_design ? [] : fieldsOf(method, arm.checkpoint)
  const isWrong =
    error?.fields.some(({ field }) => field.startsWith(`arms.${index}.method_config`)) ?? false
  const changed = Object.keys(changedConfig(fields, arm.config)).length
  return (
    <fieldset className="flex flex-col gap-1 border-b border-line px-4 py-3 last:border-b-0">
      <legend className="sr-only">{form.arm(index)}</legend>
      <div className="flex items-start gap-3">
        <div className="grid min-w-0 flex-1 grid-cols-2 items-start gap-3 sm:grid-cols-3 xl:grid-cols-[1.2fr_1.2fr_1.2fr_1fr_1fr_1fr]">
          <Select
            label={form.method}
            options={(methods.data ?? []).map(({ key, name, description }) => ({
              key,
              label: name,
              description,
            }))}
            value={arm.method}
            onChange={(key) => onChange({ ...UNCHOSEN, method: key })}
            error={wrong('method')}
          />
          {method?.needs_design ? (
            <DesignFields
              arm={arm}
              onChange={onChange}
              error={wrong('design')}
              versionError={wrong('design_version')}
            />
          ) : (
            <CheckpointSelect
              method={arm.method}
              learns={method?.learns ?? false}
              value={arm.checkpoint}
              onChange={(checkpoint) =>
                // What the one before brought along goes with it; what was chosen stays.
                onChange({ checkpoint, config: changedConfig(fields, arm.config) })
              }
              error={wrong('checkpoint')}
            />
          )}
          <TextField
            label={form.label}
            value={arm.label}
            onChange={(label) => onChange({ label })}
            placeholder={arm.checkpoint ? `${arm.method} · ${arm.checkpoint}` : arm.method}
            error={wrong('label')}
          />
          <Select
            label={form.endpoint}
            options={(enabled ?? []).map(({ key, name, model }) => ({
              key,
              label: name || key,
              description: model,
            }))}
            value={arm.endpoint ?? standing(enabled)}
            onChange={(endpoint) => onChange({ endpoint })}
            error={wrong('endpoint')}
          />
          {method?.needs_design ? null : (
            <Select
              label={form.pool}
              options={(pools.data ?? []).map(({ key, name }) => ({ key, label: name }))}
              value={method?.needs_pool ? (arm.pool ?? standing(pools.data)) : null}
              onChange={(pool) => onChange({ pool })}
              isDisabled={method?.needs_pool !== true}
              placeholder={strings.ask.noPoolNeeded}
              error={wrong('pool')}
            />
          )}
          <NumberField
            label={form.replyTokens}
            value={arm.reply_tokens}
            onChange={(reply_tokens) => onChange({ reply_tokens })}
            minimum={1}
            maximum={MOST_REPLY_TOKENS}
            integer
            placeholder={form.asAll}
            error={wrong('max_completion_tokens_per_call')}
          />
        </div>
        <div className="flex flex-col pt-[22px] sm:flex-row">
          <Tooltip content={form.duplicate}>
            <Button
              variant="quiet"
              aria-label={`${form.duplicate}: ${form.arm(index)}`}
              onPress={onCopy}
              icon={<Copy size={14} aria-hidden />}
            />
          </Tooltip>
          <Tooltip content={form.remove}>
            <Button
              variant="quiet"
              aria-label={`${form.remove}: ${form.arm(index)}`}
              isDisabled={onRemove === null}
              onPress={() => onRemove?.()}
              icon={<Trash2 size={14} aria-hidden />}
            />
          </Tooltip>
        </div>
      </div>
      {fields.length > 0 ? (
        <Disclosure
          // A wrong setting opens them: another key begins anew.
          key={isWrong ? 'wrong' : 'right'}
          defaultOpen={isWrong}
          title={form.config}
          hint={changed > 0 ? <Badge>{form.configChanged(changed)}</Badge> : null}
        >
          <div className="grid gap-3 sm:grid-cols-3 xl:grid-cols-4">
            <ConfigForm
              fields={fields}
              values={arm.config}
              onChange={(config) => onChange({ config })}
              error={error}
              errorPath={`arms.${index}.method_config`}
            />
          </div>
        </Disclosure>
      ) : null}
    </fieldset>
  )
}
