import type { ReactNode } from 'react'
import { Input, TextField as AriaTextField, type TextFieldProps } from 'react-aria-components'

import { cx } from './cx'
import { FieldHelp, FieldLabel, inputClass } from './field-parts'

interface Props extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  label: string
  help?: ReactNode
  error?: string
  aside?: ReactNode
  placeholder?: string
  mono?: boolean
  className?: string
}

export function TextField({
  label,
  help,
  error,
  aside,
  placeholder,
  mono = false,
  className,
  ...props
}: Readonly<Props>) {
  return (
    <AriaTextField
      {...props}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      className={cx('flex min-w-0 flex-col gap-1', className)}
    >
      <FieldLabel aside={aside}>{label}</FieldLabel>
      <Input placeholder={placeholder} className={cx(inputClass, 'h-8', mono && 'font-mono')} />
      <FieldHelp help={help} error={error} />
    </AriaTextField>
  )
}
