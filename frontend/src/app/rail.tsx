import { Cpu, MessageCircleQuestion, Rows3, Users } from 'lucide-react'
import { NavLink } from 'react-router'

import { cx } from '@/components/cx'
import { Mark } from '@/components/mark'
import type { Me } from '@/lib/api/queries'
import { strings } from '@/lib/strings'

import { AccountMenu } from './account-menu'

const links = [
  { to: '/', label: strings.nav.ask, icon: MessageCircleQuestion },
  { to: '/runs', label: strings.nav.runs, icon: Rows3 },
  { to: '/roles', label: strings.nav.roles, icon: Users },
  { to: '/endpoints', label: strings.nav.endpoints, icon: Cpu },
] as const

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
        {links.map(({ to, label, icon: Icon }) => (
          <NavLink
            key={to}
            to={to}
            end={to === '/'}
            className={({ isActive }) =>
              cx(
                'flex min-w-0 flex-1 flex-col items-center justify-center gap-0.5 rounded-md text-xs font-medium [overflow-wrap:normal]',
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
      </nav>
      <AccountMenu me={me} />
    </header>
  )
}
