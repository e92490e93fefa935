import type { LucideIcon } from 'lucide-react'
import { isValidElement, type ReactElement, type ReactNode, type Ref } from 'react'
import { Button as AriaButton, type ButtonProps as AriaProps } from 'react-aria-components'

import { buttonClass, type ButtonSize, type ButtonVariant } from './button-class'
import { cx } from './cx'
import { Working } from './working'

export interface ButtonProps extends Omit<AriaProps, 'className' | 'children' | 'style'> {
  variant?: ButtonVariant
  size?: ButtonSize
  /** An element, where it is not drawn as in other buttons. */
  icon?: LucideIcon | ReactElement
  ref?: Ref<HTMLButtonElement>
  className?: string
  children?: ReactNode
}

/**
 * `isPending` keeps the button and its focus in place, says so, and refuses a second press. It is done
 * here because React Aria's own announces a button that may be gone by then.
 */
export function Button(props: Readonly<ButtonProps>) {
  const { variant, size, icon, className, children, isPending = false, ...rest } = props
  const waiting = isPending
    ? { 'aria-disabled': true, 'data-pending': true, type: 'button' as const, onPress: undefined }
    : {}
  return (
    <AriaButton
      {...rest}
      {...waiting}
      className={cx(buttonClass({ variant, size, square: !children }), className)}
    >
      {isPending ? <Working /> : iconOf(icon)}
      {children}
    </AriaButton>
  )
}

/** A small one with an icon alone. */
export const IconButton = ({ label, ...rest }: Readonly<ButtonProps & { label: string }>) => (
  <Button variant="quiet" size="sm" aria-label={label} {...rest} />
)

function iconOf(icon: ButtonProps['icon']) {
  if (!icon || isValidElement(icon)) return icon
  const Icon = icon
  return <Icon size={14} aria-hidden />
}
