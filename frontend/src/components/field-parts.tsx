import type { ReactNode } from 'react'
import { FieldError, Label, Text } from 'react-aria-components'

export const inputClass =
  'w-full rounded-md border border-line-strong bg-surface-1 px-2.5 text-sm text-ink placeholder:text-ink-3 ' +
  'outline-none data-[focused]:border-accent data-[focused]:outline-2 data-[focused]:outline-offset-0 ' +
  'data-[focused]:outline-accent data-[invalid]:border-bad data-[disabled]:opacity-60'

export const labelClass = 'text-xs font-medium text-ink-2'

/** Label above, help or error below: the frame of every field. */
export function FieldLabel({
  children,
  aside,
}: Readonly<{ children: ReactNode; aside?: ReactNode }>) {
  return (
    <span className="flex items-baseline justify-between gap-2">
      <Label className={labelClass}>{children}</Label>
      {aside ? <span className="text-xs text-ink-3">{aside}</span> : null}
    </span>
  )
}

export function FieldHelp({ help, error }: Readonly<{ help?: ReactNode; error?: string }>) {
  return (
    <>
      {help && !error ? (
        <Text slot="description" className="text-xs text-ink-3">
          {help}
        </Text>
      ) : null}
      <FieldError className="text-xs font-medium text-bad">{error}</FieldError>
    </>
  )
}
