import { useState, type ReactNode } from 'react'
import { Input, TextField as AriaTextField } from 'react-aria-components'

import { numberProblem } from '@/lib/number-range'
import { readNumber, writtenNumber } from '@/lib/read-number'

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

/** An empty field is null: unknown, or no limit. A number that is not allowed stays, with the reason: a form must not be
 * sent with another one than its user wrote. What is no number is NaN, which no request can send (`lib/api/body`). */
export function NumberField(props: Readonly<Props>) {
  const { label, labelHidden = false, minimum, maximum, integer = false } = props
  const problemOf = (number: number | null) => numberProblem(number, { minimum, maximum, integer })
  const { value, text, setText, commit, step } = useWriting(props, problemOf)
  const error = props.error ?? problemOf(value)
  return (
    <AriaTextField
      {...(labelHidden ? { 'aria-label': label } : {})}
      value={text}
      onChange={setText}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit()
        if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
          event.preventDefault()
          step(event.key === 'ArrowUp' ? 1 : -1)
        }
      }}
      inputMode={(minimum ?? -1) < 0 ? 'text' : integer ? 'numeric' : 'decimal'}
      autoComplete="off"
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
    </AriaTextField>
  )
}

/** The number of the field and its text, which counts once its writer leaves the field or presses Enter. A live field
 * keeps a number that is not allowed to itself until it is corrected, or its owner has another. */
function useWriting(
  { value, onChange, integer = false, live = false }: Props,
  problemOf: (value: number | null) => string | undefined,
) {
  const [seen, setSeen] = useState(value)
  const [refused, setRefused] = useState<number | null>(null)
  /** null: the field shows its number. */
  const [text, setText] = useState<string | null>(null)
  if (!Object.is(value, seen)) {
    setSeen(value)
    setRefused(null)
    if (!Number.isNaN(value)) setText(null)
  }
  const take = (next: number | null): void => {
    const isRefused = live && problemOf(next) !== undefined
    setRefused(isRefused ? next : null)
    if (!Number.isNaN(next)) setText(null)
    if (!isRefused && !Object.is(next, value)) onChange(next)
  }
  const shown = refused ?? value
  const commit = (): void => {
    if (text !== null) take(readNumber(text, integer))
  }
  /** An arrow key: up or down by one, to a number that is allowed. */
  const step = (by: 1 | -1): void => {
    const from = text === null ? shown : readNumber(text, integer)
    const next = Number(((from ?? 0) + by).toFixed(12))
    if (problemOf(next) === undefined) take(next)
  }
  return { value: shown, text: text ?? writtenNumber(shown), setText, commit, step }
}
