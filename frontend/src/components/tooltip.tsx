import type { ReactElement, ReactNode } from 'react'
import { Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components'

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
