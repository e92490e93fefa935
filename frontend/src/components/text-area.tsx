import type { ReactNode, Ref } from 'react'
import { TextArea as AriaTextArea, TextField, type TextFieldProps } from 'react-aria-components'

import { cx } from './cx'
import { FieldHelp, FieldLabel, inputClass } from './field-parts'

interface Props extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  label: string
  help?: ReactNode
  error?: string
  aside?: ReactNode
  placeholder?: string
  rows?: number
  /** Of code: letters of one width, and nothing is corrected. */
  isCode?: boolean
  areaRef?: Ref<HTMLTextAreaElement>
  className?: string
}

/** A field of several lines; it grows with its text, up to half the window. */
export function TextArea(props: Readonly<Props>) {
  const {
    label,
    help,
    error,
    aside,
    placeholder,
    rows = 3,
    isCode = false,
    areaRef,
    className,
    ...field
  } = props
  return (
    <TextField
      {...field}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      className={cx('flex min-w-0 flex-col gap-1', className)}
    >
      <FieldLabel aside={aside}>{label}</FieldLabel>
      <AriaTextArea
        ref={areaRef}
        placeholder={placeholder}
        rows={rows}
        {...(isCode ? { spellCheck: false, autoCapitalize: 'off', autoCorrect: 'off' } : {})}
        className={cx(
          inputClass,
          'field-sizing-content max-h-[50dvh] resize-none overflow-auto py-1.5',
          isCode && 'font-mono text-xs',
        )}
      />
      <FieldHelp help={help} error={error} />
    </TextField>
  )
}
