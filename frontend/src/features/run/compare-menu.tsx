import { Columns2 } from 'lucide-react'
import { MenuTrigger, Popover } from 'react-aria-components'

import { Button } from '@/components/button'
import { later } from '@/components/later'
import { text } from '@/strings/run'

const CompareList = later(async () => (await import('./compare-list')).CompareList)

/** Opens the other runs of the question. */
export function CompareMenu() {
  return (
    <MenuTrigger>
      <Button size="sm" icon={Columns2}>
        {text.compare.choose}
      </Button>
      <Popover className="w-80 max-w-[calc(100vw-1.5rem)] rounded-lg border border-line bg-surface-1 p-1 shadow-float">
        <CompareList />
      </Popover>
    </MenuTrigger>
  )
}
