import { useRef } from 'react'

import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { EndpointSelect, EndpointsSelect } from '@/components/endpoint-select'
import { NumberField } from '@/components/number-field'
import { Select } from '@/components/select'
import { TextArea } from '@/components/text-area'
import { TextField } from '@/components/text-field'
import { fieldMessage, type ApiError } from '@/lib/api/errors'
import type { ConfigField, ConfigValue } from '@/lib/config-schema'
import { rangeText } from '@/lib/number-range'
import { strings } from '@/strings/studio'

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
      return <CodeInput field={field} value={value} onChange={onChange} error={error} />
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

type CodeProps = InputProps & { field: Extract<ConfigField, { kind: 'code' }> }

/** An empty one offers its example. */
function CodeInput({ field, value, onChange, error }: Readonly<CodeProps>) {
  const area = useRef<HTMLTextAreaElement>(null)
  const { label, help, example } = field
  const text = typeof value === 'string' ? value : ''
  const insert = (): void => {
    onChange(example)
    area.current?.focus() // the button that was pressed is gone with the empty field
  }
  return (
    <TextArea
      label={label}
      value={text}
      onChange={(next) => onChange(next || null)}
      aside={
        example !== null && text.trim() === '' ? (
          <Button size="sm" onPress={insert}>
            {strings.common.insertExample}
          </Button>
        ) : null
      }
      help={help}
      error={error}
      rows={4}
      isCode
      areaRef={area}
      className="col-span-full"
    />
  )
}
