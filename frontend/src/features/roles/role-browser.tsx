import { ArrowLeft } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'

import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { cx } from '@/components/cx'
import { EmptyState } from '@/components/empty-state'
import { FamilyMark } from '@/components/family-mark'
import { SearchBox } from '@/components/search-box'
import { strings } from '@/strings/studio'

import { groupRoles, type Role } from '@/lib/group-roles'
import { RoleDetail } from './role-detail'

interface Props {
  roles: readonly Role[]
  poolKey: string
}

/** List beside detail; on a phone one at a time. The chosen role is in the address. */
export function RoleBrowser({ roles, poolKey }: Readonly<Props>) {
  const [search, setSearch] = useState('')
  const [params, setParams] = useSearchParams()
  const groups = useMemo(() => groupRoles(roles, search), [roles, search])
  const wanted = params.get('role')
  const role = roles.find(({ key }) => key === wanted) ?? null
  const choose = (key: string | null): void =>
    setParams((before) => {
      const next = new URLSearchParams(before)
      if (key === null) next.delete('role')
      else next.set('role', key)
      return next
    })
  return (
    <div className="grid items-start gap-4 md:grid-cols-[minmax(18rem,24rem)_1fr]">
      <section
        aria-label={strings.roles.title}
        className={cx(
          'flex-col overflow-hidden rounded-lg border border-line bg-surface-1 md:sticky md:top-5 md:flex md:max-h-[calc(100dvh-10rem)]',
          role ? 'hidden' : 'flex',
        )}
      >
        <div className="border-b border-line p-2">
          <SearchBox label={strings.roles.search} value={search} onChange={setSearch} />
        </div>
        {groups.length === 0 ? (
          <EmptyState title={strings.roles.noMatch}>{strings.roles.noMatchBody}</EmptyState>
        ) : null}
        <div className="overflow-auto pb-2">
          {groups.map(({ family, roles: members }) => (
            <section key={family}>
              <h2 className="sticky top-0 flex items-center justify-between bg-surface-1 px-4 pt-3 pb-1">
                <FamilyMark family={family} />
                <span className="text-xs font-normal text-ink-3">{members.length}</span>
              </h2>
              <ul>
                {members.map((member) => (
                  <li key={member.key}>
                    <RoleItem
                      role={member}
                      selected={member.key === role?.key}
                      onSelect={() => choose(member.key)}
                    />
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      </section>
      <section className={role ? '' : 'hidden md:block'}>
        {role ? (
          <>
            <Button
              variant="quiet"
              size="sm"
              className="mb-2 md:hidden"
              onPress={() => choose(null)}
              icon={<ArrowLeft size={14} aria-hidden />}
            >
              {strings.roles.back}
            </Button>
            <RoleDetail role={role} poolKey={poolKey} />
          </>
        ) : (
          <div className="rounded-lg border border-dashed border-line">
            <EmptyState title={strings.roles.choose} />
          </div>
        )}
      </section>
    </div>
  )
}

interface ItemProps {
  role: Role
  selected: boolean
  onSelect: () => void
}

function RoleItem({ role, selected, onSelect }: Readonly<ItemProps>) {
  return (
    <button
      type="button"
      aria-current={selected ? 'true' : undefined}
      onClick={onSelect}
      className={cx(
        'flex w-full items-center gap-2 border-l-2 px-4 py-1.5 text-left focus-visible:-outline-offset-2',
        selected ? 'border-accent bg-surface-2' : 'border-transparent hover:bg-surface-2',
      )}
    >
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{role.name}</span>
        <span className="block truncate text-xs text-ink-3">{role.description}</span>
      </span>
      {role.enabled === false ? <Badge>{strings.common.disabled}</Badge> : null}
    </button>
  )
}
