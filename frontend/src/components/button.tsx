import type { ReactNode, Ref } from 'react'
import { Button as AriaButton, type ButtonProps as AriaProps } from 'react-aria-components'

import { buttonClass, type ButtonSize, type ButtonVariant } from './button-class'
import { cx } from './cx'
import { Working } from './working'

export interface ButtonProps extends Omit<AriaProps, 'className' | 'children' | 'style'> {
  variant?: ButtonVariant
  size?: ButtonSize
  icon?: ReactNode
  ref?: Ref<HTMLButtonElement>
  className?: string
  children?: ReactNode
}

/**
 * `isPending` keeps the button and its focus in place, says so, and refuses a second press. It is done
 * here because React Aria's own announces a button that may be gone by then.
 */
export function Button({
  variant = 'secondary',
  size = 'md',
  icon,
  className,
  children,
  isPending = false,
  ...props
}: Readonly<ButtonProps>) {
  const waiting = isPending
    ? { 'aria-disabled': true, 'data-pending': true, type: 'button' as const, onPress: undefined }
    : {}
  return (
    <AriaButton
      {...props}
      {...waiting}
      className={cx(buttonClass({ variant, size, square: !children }), className)}
    >
      {isPending ? <Working /> : icon}
      {children}
    </AriaButton>
  )
}
