import type { ReactNode } from 'react'
import { Input, NumberField as AriaNumberField } from 'react-aria-components'

import { numberProblem } from '@/lib/number-range'

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
  /** Takes the nearest allowed number at once: where there is no form that is sent. */
  snaps?: boolean
}

/** An empty field is null: unknown, or no limit. A number that is not allowed stays, with the reason:
 * a form must not be sent with another one than its user wrote. */
export function NumberField(props: Readonly<Props>) {
  const { label, value, onChange, minimum, maximum, integer = false, snaps = false } = props
  const error = props.error ?? numberProblem(value, { minimum, maximum, integer })
  return (
    <AriaNumberField
      value={value ?? Number.NaN}
      onChange={(next) => onChange(Number.isNaN(next) ? null : next)}
      // With a least value from 0 on, no minus can be written: “-3” would become 3.
      {...(snaps ? { minValue: minimum, maxValue: maximum } : { commitBehavior: 'validate' })}
      step={integer ? 1 : undefined}
      formatOptions={{ useGrouping: false, maximumFractionDigits: 6 }}
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
