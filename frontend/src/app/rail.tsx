import {
  ChartNoAxesCombined,
  Cpu,
  Database,
  Ellipsis,
  MessageCircleQuestion,
  Rows3,
  Scale,
  Users,
  Workflow,
  type LucideIcon,
} from 'lucide-react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { NavLink, useLocation, useNavigate } from 'react-router'

import { cx } from '@/components/cx'
import { Mark } from '@/components/mark'
import type { Me } from '@/lib/api/queries'
import { strings } from '@/lib/strings'

import { AccountMenu } from './account-menu'

interface Place {
  readonly to: string
  readonly label: string
  readonly icon: LucideIcon
  /** Five buttons fit in the bar of a phone; the other places are behind “More”. */
  readonly inBar: boolean
}

const places: readonly Place[] = [
  { to: '/', label: strings.nav.ask, icon: MessageCircleQuestion, inBar: true },
  { to: '/runs', label: strings.nav.runs, icon: Rows3, inBar: true },
  { to: '/designs', label: strings.nav.designs, icon: Workflow, inBar: false },
  { to: '/evaluations', label: strings.nav.evaluations, icon: Scale, inBar: true },
  { to: '/training', label: strings.nav.training, icon: ChartNoAxesCombined, inBar: false },
  { to: '/datasets', label: strings.nav.datasets, icon: Database, inBar: false },
  { to: '/roles', label: strings.nav.roles, icon: Users, inBar: false },
  { to: '/endpoints', label: strings.nav.endpoints, icon: Cpu, inBar: false },
]

const barItem =
  'flex min-w-0 flex-1 flex-col items-center justify-center gap-0.5 rounded-md text-xs font-medium [overflow-wrap:normal]'

/** On a desk a rail at the left; on a phone a bar at the bottom, in reach of a thumb. */
export function Rail({ me }: Readonly<{ me: Me }>) {
  return (
    <header
      className={cx(
        'fixed inset-x-0 bottom-0 z-30 flex h-14 items-stretch border-t border-line bg-surface-1 px-1',
        'sm:inset-x-auto sm:inset-y-0 sm:left-0 sm:h-auto sm:w-[var(--rail-width)] sm:flex-col sm:border-t-0 sm:border-r sm:p-3',
      )}
    >
      <div className="hidden items-center gap-2 px-2 pt-1 pb-5 font-semibold tracking-tight sm:flex">
        <Mark />
        {strings.product}
      </div>
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
        <MorePlaces />
      </nav>
      <AccountMenu me={me} />
    </header>
  )
}

/** The places that a phone's bar has no room for. */
function MorePlaces() {
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
        <Menu className="outline-none" onAction={(key) => void navigate(String(key))}>
          {rest.map(({ to, label, icon: Icon }) => (
            <MenuItem
              key={to}
              id={to}
              textValue={label}
              className={cx(
                'flex h-10 cursor-default items-center gap-2.5 rounded-md px-2 text-sm outline-none data-[focused]:bg-surface-2',
                isHere(to) ? 'font-medium text-accent' : 'text-ink',
              )}
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
