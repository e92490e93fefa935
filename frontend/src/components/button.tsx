import type { ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps as AriaProps } from 'react-aria-components'

import { cx } from './cx'
import { buttonClass, type ButtonSize, type ButtonVariant } from './button-class'
import { Working } from './working'

export interface ButtonProps extends Omit<AriaProps, 'className' | 'children' | 'style'> {
  variant?: ButtonVariant
  size?: ButtonSize
  icon?: ReactNode
  className?: string
  children?: ReactNode
}

/** `isPending` keeps the button in place, says so, and refuses a second press. */
export function Button({
  variant = 'secondary',
  size = 'md',
  icon,
  className,
  children,
  ...props
}: Readonly<ButtonProps>) {
  return (
    <AriaButton
      {...props}
      className={cx(buttonClass({ variant, size, square: !children }), className)}
    >
      {props.isPending ? <Working /> : icon}
      {children}
    </AriaButton>
  )
}
