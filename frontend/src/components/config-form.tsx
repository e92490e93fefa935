import { Checkbox } from '@/components/checkbox'
import { EndpointSelect, EndpointsSelect } from '@/components/endpoint-select'
import { NumberField } from '@/components/number-field'
import { Select } from '@/components/select'
import { TextArea } from '@/components/text-area'
import { TextField } from '@/components/text-field'
import { fieldMessage, type ApiError } from '@/lib/api/errors'
import type { ConfigField, ConfigValue } from '@/lib/config-schema'
import { rangeText } from '@/lib/number-range'

interface Props {
  fields: readonly ConfigField[]
  values: Readonly<Record<string, ConfigValue>>
  onChange: (values: Record<string, ConfigValue>) => void
  error: ApiError | null
  /** Where the API reports problems of a setting: `method_config.jpss`. */
  errorPath?: string
}

/** The settings of a method, drawn from its schema. */
export function ConfigForm(props: Readonly<Props>) {
  const { fields, values, onChange, error, errorPath = 'method_config' } = props
  return fields.map((field) => (
    <ConfigInput
      key={field.key}
      field={field}
      value={values[field.key] === undefined ? field.initial : (values[field.key] ?? null)}
      onChange={(value) => onChange({ ...values, [field.key]: value })}
      error={fieldMessage(error, `${errorPath}.${field.key}`)}
    />
  ))
}

interface InputProps {
  field: ConfigField
  value: ConfigValue
  onChange: (value: ConfigValue) => void
  error: string | undefined
}

function ConfigInput({ field, value, onChange, error }: Readonly<InputProps>) {
  const { label, help } = field
  switch (field.kind) {
    case 'number':
      return (
        <NumberField
          label={label}
          value={typeof value === 'number' ? value : null}
          onChange={(next) => onChange(next ?? (field.nullable ? null : field.initial))}
          integer={field.integer}
          minimum={field.minimum}
          maximum={field.maximum}
          help={help || rangeText(field)}
          error={error}
        />
      )
    case 'boolean':
      return (
        <Checkbox
          isSelected={value === true}
          onChange={onChange}
          help={error ?? help}
          className="self-center"
        >
          {label}
        </Checkbox>
      )
    case 'choice':
      return (
        <Select
          label={label}
          options={field.options.map((key) => ({ key, label: key }))}
          value={typeof value === 'string' ? value : null}
          onChange={onChange}
          help={help}
          error={error}
        />
      )
    case 'endpoint':
      return (
        <EndpointSelect
          label={label}
          value={typeof value === 'string' ? value : null}
          onChange={onChange}
          help={help}
          error={error}
        />
      )
    case 'endpoints':
      return (
        <EndpointsSelect
          label={label}
          value={Array.isArray(value) ? value : []}
          maximum={field.maximum}
          onChange={onChange}
          help={help}
          error={error}
        />
      )
    case 'code':
      return (
        <TextArea
          label={label}
          value={typeof value === 'string' ? value : ''}
          onChange={(next) => onChange(next || null)}
          help={help}
          error={error}
          rows={4}
          isCode
          className="col-span-full"
        />
      )
    case 'text':
      return (
        <TextField
          label={label}
          value={typeof value === 'string' ? value : ''}
          onChange={(next) => onChange(next || null)}
          help={help}
          error={error}
        />
      )
  }
}
