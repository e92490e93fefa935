import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import {
  Button,
  Disclosure as AriaDisclosure,
  DisclosurePanel,
  Heading,
} from 'react-aria-components'

import { cx } from './cx'

interface Props {
  title: ReactNode
  hint?: ReactNode
  children: ReactNode
  level?: 2 | 3 | 4
  defaultOpen?: boolean
  onOpenChange?: (open: boolean) => void
  className?: string
  panelClassName?: string
}

/** What most people leave alone, folded away. */
export function Disclosure(props: Readonly<Props>) {
  const { title, hint, children, level = 3, defaultOpen = false, className, panelClassName } = props
  const { onOpenChange } = props
  return (
    <AriaDisclosure
      defaultExpanded={defaultOpen}
      {...(onOpenChange ? { onExpandedChange: onOpenChange } : {})}
      className={cx('group', className)}
    >
      <Heading level={level}>
        <Button
          slot="trigger"
          className="flex w-full items-center gap-1.5 py-1.5 text-left text-xs font-medium text-ink-2 hover:text-ink data-[focus-visible]:-outline-offset-2"
        >
          <ChevronRight
            size={14}
            aria-hidden
            className="transition-transform duration-100 group-data-[expanded]:rotate-90"
          />
          {title}
          {hint ? <span className="font-normal text-ink-3">{hint}</span> : null}
        </Button>
      </Heading>
      <DisclosurePanel className="overflow-hidden">
        <div className={cx('pt-1 pb-2', panelClassName)}>{children}</div>
      </DisclosurePanel>
    </AriaDisclosure>
  )
}
