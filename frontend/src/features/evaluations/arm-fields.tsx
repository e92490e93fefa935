import { useQueries, useQuery } from '@tanstack/react-query'
import { Copy, Trash2 } from 'lucide-react'

import { Badge } from '@/components/badge'
import { CheckpointSelect } from '@/components/checkpoint-select'
import { ConfigForm } from '@/components/config-form'
import { Disclosure } from '@/components/disclosure'
import { NumberField } from '@/components/number-field'
import { described, endpointOptions, isEnabled, named } from '@/components/options'
import { Select } from '@/components/select'
import { TextField } from '@/components/text-field'
import { TipButton } from '@/components/tooltip'
import { useFieldsOf } from '@/lib/api/fields-of'
import { designChoices, type DesignChoice } from '@/lib/api/designs'
import { fieldMessage, type ApiError } from '@/lib/api/errors'
import { queries, oneOf, ownEndpoint } from '@/lib/api/queries'
import { changedConfig } from '@/lib/config-schema'
import { text } from '@/strings/evaluations'
import { strings } from '@/strings/studio'

import { replyTokensOf, useFormDraft, type ArmDraft } from './form-draft'

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
  const enabled = endpoints.data?.filter(isEnabled)
  const fieldsOf = useFieldsOf(methods.data)
  const fields = method?.needs_design ? [] : fieldsOf(method, arm.checkpoint)
  const isWrong =
    error?.fields.some(({ field }) => field.startsWith(`arms.${index}.method_config`)) ?? false
  const forAll = useFormDraft().max_completion_tokens_per_call
  const usual = replyTokensOf({ ...arm, reply_tokens: null }, method, enabled, forAll)
  const changed = Object.keys(changedConfig(fields, arm.config)).length
  return (
    <fieldset className="flex flex-col gap-1 border-b border-line px-4 py-3 last:border-b-0">
      <legend className="sr-only">{form.arm(index)}</legend>
      <div className="flex items-start gap-3">
        <div className="grid min-w-0 flex-1 grid-cols-2 items-start gap-3 sm:grid-cols-3 xl:grid-cols-[1.2fr_1.2fr_1.2fr_1fr_1fr_1fr]">
          <Select
            label={form.method}
            options={described(methods.data)}
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
              offersUntrained
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
            options={endpointOptions(enabled)}
            value={oneOf(enabled, arm.endpoint ?? ownEndpoint(method, arm.checkpoint))?.key ?? null}
            onChange={(endpoint) => onChange({ endpoint })}
            error={wrong('endpoint')}
          />
          {method?.needs_design ? null : (
            <Select
              label={form.pool}
              options={named(pools.data)}
              value={method?.needs_pool ? (arm.pool ?? oneOf(pools.data)?.key ?? null) : null}
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
            placeholder={forAll === null && usual !== null ? String(usual) : form.asAll}
            error={wrong('max_completion_tokens_per_call')}
          />
        </div>
        <div className="flex flex-col pt-[22px] sm:flex-row">
          <TipButton
            label={`${form.duplicate}: ${form.arm(index)}`}
            tip={form.duplicate}
            size="md"
            variant="quiet"
            onPress={onCopy}
            icon={Copy}
          />
          <TipButton
            label={`${form.remove}: ${form.arm(index)}`}
            tip={form.remove}
            size="md"
            variant="quiet"
            isDisabled={onRemove === null}
            onPress={() => onRemove?.()}
            icon={Trash2}
          />
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

const DRAFT = ':draft'

interface DesignFieldsProps {
  arm: ArmDraft
  onChange: (part: Partial<ArmDraft>) => void
  error: string | undefined
  versionError: string | undefined
}

/** Which graph the method “design” runs: a design, as it is or as a version of it. */
function DesignFields({ arm, onChange, error, versionError }: Readonly<DesignFieldsProps>) {
  const known = useQuery(designChoices).data ?? []
  const chosen = known.find(({ id }) => id === arm.design)
  return (
    <>
      <Select
        label={form.design}
        options={known.map(({ id, name, agent_count: agents, is_script }) => ({
          key: id,
          label: name,
          description: is_script ? form.script : form.agents(agents),
        }))}
        value={arm.design}
        onChange={(design) => onChange({ design, design_version: null })}
        placeholder={known.length > 0 ? form.designPlaceholder : form.noDesign}
        error={error}
      />
      <Select
        label={form.designVersion}
        options={[{ key: DRAFT, label: form.designDraft }, ...versionsOf(chosen)]}
        value={arm.design_version === null ? DRAFT : String(arm.design_version)}
        onChange={(key) => onChange({ design_version: key === DRAFT ? null : Number(key) })}
        isDisabled={!chosen}
        error={versionError}
      />
    </>
  )
}

/** Newest first: versions are numbered from 1 and none ever goes. */
function versionsOf(design: DesignChoice | undefined): { key: string; label: string }[] {
  const count = design?.version_count ?? 0
  return Array.from({ length: count }, (_, index) => ({
    key: String(count - index),
    label: `v${count - index}`,
  }))
}
