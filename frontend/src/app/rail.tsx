import { Ellipsis, Search } from 'lucide-react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { NavLink, useLocation, useNavigate } from 'react-router'

import { cx } from '@/components/cx'
import { Mark } from '@/components/mark'
import type { Me } from '@/lib/api/queries'
import { strings } from '@/strings/studio'

import { AccountMenu } from './account-menu'
import { EndingsBell } from './endings'
import { places } from './places'

const barItem =
  'flex min-w-0 flex-1 flex-col items-center justify-center gap-0.5 rounded-md text-xs font-medium [overflow-wrap:normal]'

const moreItem =
  'flex h-10 cursor-default items-center gap-2.5 rounded-md px-2 text-sm outline-none data-[focused]:bg-surface-2'

/** On a desk a rail at the left; on a phone a bar at the bottom, in reach of a thumb. */
export function Rail({ me, onPalette }: Readonly<{ me: Me; onPalette: () => void }>) {
  return (
    <header
      className={cx(
        'fixed inset-x-0 bottom-0 z-30 flex h-14 items-stretch border-t border-line bg-surface-1 px-1',
        'sm:inset-x-auto sm:inset-y-0 sm:left-0 sm:h-auto sm:w-[var(--rail-width)] sm:flex-col sm:border-t-0 sm:border-r sm:p-3',
      )}
    >
      <div className="hidden items-center gap-2 px-2 pt-1 pb-4 font-semibold tracking-tight sm:flex">
        <Mark />
        {strings.product}
      </div>
      <Button
        aria-keyshortcuts="Control+K"
        onPress={onPalette}
        className="mb-3 hidden h-8 items-center gap-2 rounded-md border border-line px-2 text-sm text-ink-3 hover:border-line-strong hover:text-ink-2 sm:flex"
      >
        <Search size={14} aria-hidden />
        <span className="flex-1 text-left">{strings.palette.short}</span>
        <kbd aria-hidden className="text-xs">
          {strings.palette.keys}
        </kbd>
      </Button>
      <nav
        aria-label={strings.nav.label}
        className="flex flex-4 items-stretch sm:flex-1 sm:flex-col sm:gap-0.5"
      >
        {places.map(({ to, label, icon: Icon, inBar }) => (
          <NavLink
            key={to}
            to={to}
            end={to === '/'}
            className={({ isActive }) =>
              cx(
                barItem,
                !inBar && 'max-sm:hidden',
                'sm:h-8 sm:flex-none sm:flex-row sm:justify-start sm:gap-2.5 sm:px-2 sm:text-sm',
                isActive
                  ? 'text-accent sm:bg-surface-2 sm:text-ink'
                  : 'text-ink-2 hover:text-ink sm:hover:bg-surface-2',
              )
            }
          >
            <Icon size={16} aria-hidden />
            {label}
          </NavLink>
        ))}
        <MorePlaces onPalette={onPalette} />
      </nav>
      <EndingsBell />
      <AccountMenu me={me} />
    </header>
  )
}

const SEARCH = 'search'

/** The places that a phone's bar has no room for, and the palette. */
function MorePlaces({ onPalette }: Readonly<{ onPalette: () => void }>) {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const rest = places.filter(({ inBar }) => !inBar)
  const isHere = (to: string): boolean => pathname.startsWith(to)
  return (
    <MenuTrigger>
      <Button
        className={cx(
          barItem,
          'sm:hidden',
          rest.some(({ to }) => isHere(to)) ? 'text-accent' : 'text-ink-2',
        )}
      >
        <Ellipsis size={16} aria-hidden />
        {strings.nav.more}
      </Button>
      <Popover
        placement="top"
        className="w-48 rounded-lg border border-line bg-surface-1 p-1 shadow-float"
      >
        <Menu
          className="outline-none"
          onAction={(key) => {
            if (key === SEARCH) onPalette()
            else void navigate(String(key))
          }}
        >
          <MenuItem
            id={SEARCH}
            textValue={strings.palette.short}
            className={cx(moreItem, 'text-ink')}
          >
            <Search size={16} aria-hidden />
            {strings.palette.short}
          </MenuItem>
          {rest.map(({ to, label, icon: Icon }) => (
            <MenuItem
              key={to}
              id={to}
              textValue={label}
              className={cx(moreItem, isHere(to) ? 'font-medium text-accent' : 'text-ink')}
            >
              <Icon size={16} aria-hidden />
              {label}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
