import type { ReactNode } from 'react'
import { Input, NumberField as AriaNumberField } from 'react-aria-components'

import { cx } from './cx'
import { FieldHelp, FieldLabel, inputClass } from './field-parts'

interface Props {
  label: string
  value: number | null
  onChange: (value: number | null) => void
  minimum?: number
  maximum?: number
  integer?: boolean
  help?: ReactNode
  error?: string
  aside?: ReactNode
  placeholder?: string
  className?: string
  trailing?: ReactNode
}

/** An empty field is null: unknown, or no limit. */
export function NumberField(props: Readonly<Props>) {
  const { label, value, onChange, minimum, maximum, integer = false, error } = props
  return (
    <AriaNumberField
      value={value ?? Number.NaN}
      onChange={(next) => onChange(Number.isNaN(next) ? null : next)}
      minValue={minimum}
      maxValue={maximum}
      step={integer ? 1 : undefined}
      formatOptions={{ useGrouping: false, maximumFractionDigits: integer ? 0 : 6 }}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      className={cx('flex min-w-0 flex-col gap-1', props.className)}
    >
      <FieldLabel aside={props.aside}>{label}</FieldLabel>
      <span className="relative flex items-center">
        <Input
          placeholder={props.placeholder}
          className={cx(inputClass, 'h-8', props.trailing ? 'pr-9' : null)}
        />
        {props.trailing ? <span className="absolute right-0.5">{props.trailing}</span> : null}
      </span>
      <FieldHelp help={props.help} error={error} />
    </AriaNumberField>
  )
}
