import { useState, type ReactNode } from 'react'
import { Input, NumberField as AriaNumberField } from 'react-aria-components'

import { numberProblem } from '@/lib/number-range'

import { cx } from './cx'
import { FieldHelp, FieldLabel, inputClass } from './field-parts'

interface Props {
  label: string
  labelHidden?: boolean
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
  /** Where no form is sent and every change counts at once: what is not allowed is not passed on. */
  live?: boolean
}

/** More digits than anybody writes: a number is never shown as another one than was written. */
const FORMAT = { useGrouping: false, maximumFractionDigits: 20 }

/** An empty field is null: unknown, or no limit. A number that is not allowed stays, with the reason:
 * a form must not be sent with another one than its user wrote. */
export function NumberField(props: Readonly<Props>) {
  const { label, labelHidden = false, minimum, maximum, integer = false } = props
  const problemOf = (number: number | null) => numberProblem(number, { minimum, maximum, integer })
  const [value, onChange] = useRefused(props, problemOf)
  const error = props.error ?? problemOf(value)
  return (
    <AriaNumberField
      {...(labelHidden ? { 'aria-label': label } : {})}
      value={value ?? Number.NaN}
      onChange={(next) => onChange(Number.isNaN(next) ? null : next)}
      // With a least value from 0 on, no minus can be written: “-3” would become 3.
      commitBehavior="validate"
      step={integer ? 1 : undefined}
      formatOptions={FORMAT}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      className={cx('flex min-w-0 flex-col gap-1', props.className)}
    >
      {labelHidden ? null : <FieldLabel aside={props.aside}>{label}</FieldLabel>}
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

/** The number that is shown, and what takes another one. A live field keeps one that is not allowed to
 * itself until it is corrected, or its owner has another. */
function useRefused(
  { value, onChange, live = false }: Props,
  problemOf: (value: number | null) => string | undefined,
) {
  const [seen, setSeen] = useState(value)
  const [refused, setRefused] = useState<number | null>(null)
  if (value !== seen) {
    setSeen(value)
    setRefused(null)
  }
  const change = (next: number | null): void => {
    const isRefused = live && problemOf(next) !== undefined
    setRefused(isRefused ? next : null)
    if (!isRefused) onChange(next)
  }
  return [refused ?? value, change] as const
}
