import { useQueryClient } from '@tanstack/react-query'
import {
  BookText,
  CircleUser,
  Footprints,
  KeyRound,
  Library,
  LogOut,
  Settings,
  Webhook,
  type LucideIcon,
} from 'lucide-react'
import {
  Button,
  Header,
  Menu,
  MenuItem,
  MenuSection,
  MenuTrigger,
  Popover,
  Separator,
} from 'react-aria-components'
import { useNavigate } from 'react-router'

import { cx } from '@/components/cx'
import { api } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import type { Me } from '@/lib/api/queries'
import { usePreferences, type Theme } from '@/lib/preferences'
import { strings } from '@/strings/studio'
import { notifyProblem } from '@/lib/toasts'

const themes: readonly Theme[] = ['system', 'light', 'dark']
const itemClass =
  'flex h-8 cursor-default items-center gap-2.5 rounded-md px-2 text-sm text-ink no-underline outline-none data-[focused]:bg-surface-2'

export function AccountMenu({ me }: Readonly<{ me: Me }>) {
  const { theme, setTheme } = usePreferences()
  const navigate = useNavigate()
  const logOut = useLogOut()
  return (
    <MenuTrigger>
      <Button
        aria-label={`${strings.nav.account}: ${me.username}`}
        className={cx(
          'flex min-w-0 flex-1 flex-col items-center justify-center gap-0.5 rounded-md text-xs font-medium text-ink-2 [overflow-wrap:normal] hover:text-ink',
          'sm:h-9 sm:w-full sm:flex-none sm:flex-row sm:justify-start sm:gap-2.5 sm:px-2 sm:text-sm sm:hover:bg-surface-2',
        )}
      >
        <CircleUser size={16} aria-hidden className="shrink-0" />
        <span className="sm:hidden">{strings.nav.account}</span>
        <span className="hidden truncate sm:inline">{me.username}</span>
      </Button>
      <Popover
        placement="top start"
        className="w-56 rounded-lg border border-line bg-surface-1 p-1 shadow-float"
      >
        <Menu className="outline-none">
          <MenuSection
            selectionMode="single"
            selectedKeys={[theme]}
            onSelectionChange={(keys) => {
              const chosen = themes.find((key) => keys !== 'all' && keys.has(key))
              if (chosen) setTheme(chosen)
            }}
          >
            <Header className="px-2 pt-1.5 pb-1 text-xs text-ink-3">{strings.nav.theme}</Header>
            {themes.map((key) => (
              <MenuItem key={key} id={key} className={itemClass}>
                {({ isSelected }) => (
                  <>
                    <span
                      aria-hidden
                      className={cx(
                        'size-2 rounded-full border border-line-strong',
                        isSelected && 'border-accent bg-accent',
                      )}
                    />
                    <span className={isSelected ? 'font-medium' : ''}>
                      {strings.nav.themes[key]}
                    </span>
                  </>
                )}
              </MenuItem>
            ))}
          </MenuSection>
          <Separator className="my-1 h-px bg-line" />
          <Item icon={KeyRound} onAction={() => void navigate('/tokens')}>
            {strings.nav.tokens}
          </Item>
          <Item icon={Webhook} onAction={() => void navigate('/webhooks')}>
            {strings.nav.webhooks}
          </Item>
          <Item icon={Footprints} onAction={() => void navigate('/sample')}>
            {strings.nav.sample}
          </Item>
          <Item icon={Library} onAction={() => globalThis.location.assign('/corpus')}>
            {strings.nav.corpora}
          </Item>
          <Item icon={BookText} onAction={() => globalThis.location.assign('/api/docs')}>
            {strings.nav.apiDocs}
          </Item>
          {me.permissions.curate ? (
            <Item icon={Settings} onAction={() => globalThis.location.assign('/admin/')}>
              {strings.nav.admin}
            </Item>
          ) : null}
          <Separator className="my-1 h-px bg-line" />
          <Item icon={LogOut} onAction={logOut}>
            {strings.nav.logOut}
          </Item>
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}

interface ItemProps {
  icon: LucideIcon
  onAction: () => void
  children: string
}

function Item({ icon: Icon, onAction, children }: Readonly<ItemProps>) {
  return (
    <MenuItem onAction={onAction} textValue={children} className={itemClass}>
      <Icon size={14} aria-hidden className="text-ink-3" />
      {children}
    </MenuItem>
  )
}

function useLogOut(): () => void {
  const client = useQueryClient()
  const navigate = useNavigate()
  return () => {
    void api
      .POST('/api/auth/logout')
      .then(() => navigate('/login'))
      .then(() => client.clear())
      .catch((error: unknown) => notifyProblem(toApiError(error)))
  }
}
