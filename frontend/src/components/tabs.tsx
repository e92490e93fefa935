import type { ReactNode } from 'react'
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components'

import { cx } from './cx'

export interface TabItem {
  readonly key: string
  readonly label: ReactNode
  readonly content: ReactNode
}

interface Props {
  label: string
  items: readonly TabItem[]
  selected?: string
  onSelect?: (key: string) => void
  className?: string
  panelClassName?: string
}

export function Tabs({
  label,
  items,
  selected,
  onSelect,
  className,
  panelClassName,
}: Readonly<Props>) {
  return (
    <AriaTabs
      selectedKey={selected}
      {...(onSelect ? { onSelectionChange: (key) => onSelect(String(key)) } : {})}
      // Aria marks this too while anything in it has the focus; that one shows a ring of its own.
      className={cx('flex min-h-0 flex-col outline-none', className)}
    >
      <TabList aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line px-2">
        {items.map((item) => (
          <Tab
            key={item.key}
            id={item.key}
            className={cx(
              '-mb-px cursor-pointer border-b-2 border-transparent px-2 py-2 text-sm font-medium whitespace-nowrap text-ink-3',
              'hover:text-ink data-[selected]:border-accent data-[selected]:text-ink data-[focus-visible]:-outline-offset-2',
            )}
          >
            {item.label}
          </Tab>
        ))}
      </TabList>
      {items.map((item) => (
        <TabPanel
          key={item.key}
          id={item.key}
          className={cx('min-h-0 flex-1 outline-none', panelClassName)}
        >
          {item.content}
        </TabPanel>
      ))}
    </AriaTabs>
  )
}
