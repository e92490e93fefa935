import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { Link } from 'react-router'

import { buttonClass, type ButtonSize, type ButtonVariant } from './button-class'

interface Look {
  variant?: ButtonVariant
  size?: ButtonSize
  icon?: LucideIcon
}

/** A link that looks as a button. */
export function ButtonLink(props: Readonly<Look & Omit<ComponentProps<typeof Link>, 'className'>>) {
  const { variant, size, icon: Icon, children, ...link } = props
  return (
    <Link {...link} className={buttonClass({ variant, size })}>
      {Icon ? <Icon size={14} aria-hidden /> : null}
      {children}
    </Link>
  )
}
