import { Download } from 'lucide-react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'

import { buttonClass } from './button-class'

interface Props {
  label: string
  /** The files' addresses → what each is called. */
  files: Readonly<Record<string, string>>
}

/** Links to files, so that the browser saves them; the session's cookie goes with them. */
export const ExportMenu = ({ label, files }: Readonly<Props>) => (
  <MenuTrigger>
    <Button className={buttonClass({ size: 'sm' })}>
      <Download size={14} aria-hidden />
      {label}
    </Button>
    <Popover
      placement="bottom end"
      className="w-60 rounded-lg border border-line bg-surface-1 p-1 shadow-float"
    >
      <Menu aria-label={label} className="outline-none">
        {Object.entries(files).map(([address, name]) => (
          <MenuItem
            key={address}
            href={address}
            download
            className="flex h-8 cursor-default items-center rounded-md px-2 text-sm text-ink no-underline outline-none data-[focused]:bg-surface-2"
          >
            {name}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  </MenuTrigger>
)
