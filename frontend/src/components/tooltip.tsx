import type { ReactElement, ReactNode } from 'react'
import { Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components'

import { Button, type ButtonProps } from './button'

interface Props {
  content: ReactNode
  /** One focusable element of React Aria, such as our Button. */
  children: ReactElement
  placement?: 'top' | 'bottom' | 'left' | 'right'
}

export function Tooltip({ content, children, placement = 'top' }: Readonly<Props>) {
  return (
    <TooltipTrigger delay={400} closeDelay={80}>
      {children}
      <AriaTooltip
        placement={placement}
        offset={6}
        className="z-50 max-w-xs rounded-md bg-surface-inverse px-2 py-1 text-xs text-ink-inverse shadow-float"
      >
        {content}
      </AriaTooltip>
    </TooltipTrigger>
  )
}

interface TipButtonProps extends Omit<ButtonProps, 'children'>, Pick<Props, 'placement'> {
  label: string
  /** Where it says less than the label. */
  tip?: string
}

/** A button with an icon alone, and what it does in its tooltip. */
export const TipButton = ({ label, tip = label, placement, ...rest }: Readonly<TipButtonProps>) => (
  <Tooltip content={tip} placement={placement}>
    <Button size="sm" aria-label={label} {...rest} />
  </Tooltip>
)
