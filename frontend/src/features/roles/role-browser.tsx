import { ArrowLeft } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'

import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { CopyButton } from '@/components/copy-button'
import { cx } from '@/components/cx'
import { EmptyState } from '@/components/empty-state'
import { FamilyMark } from '@/components/family-mark'
import { SearchBox } from '@/components/search-box'
import { TextLink } from '@/components/text-link'
import { TitledPart } from '@/components/titled-part'
import { groupRoles, type Role } from '@/lib/group-roles'
import { strings } from '@/strings/studio'

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
              icon={ArrowLeft}
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

function RoleDetail({ role, poolKey }: Readonly<{ role: Role; poolKey: string }>) {
  const { capabilities = [], tools = [], enabled = true } = role
  return (
    <article className="rounded-lg border border-line bg-surface-1">
      <header className="flex flex-col gap-1.5 border-b border-line px-4 py-3.5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h2 className="text-lg font-semibold">{role.name}</h2>
          <FamilyMark family={role.family} />
          <Badge>{strings.common.version(role.version)}</Badge>
          {enabled ? null : <Badge tone="warn">{strings.common.disabled}</Badge>}
        </div>
        <p className="text-ink-2">{role.description}</p>
        <p className="flex flex-wrap gap-x-3 text-xs">
          <span className="font-mono text-ink-3">{role.key}</span>
          <TextLink
            to={`/agents?${new URLSearchParams({ pool: poolKey, role: role.key }).toString()}`}
          >
            {strings.roles.agents}
          </TextLink>
        </p>
      </header>
      <div className="flex flex-col gap-5 p-4">
        <TitledPart title={strings.roles.capabilities}>
          <ul className="flex flex-wrap gap-1.5">
            {capabilities.map((capability) => (
              <li
                key={capability}
                className="rounded-sm bg-surface-2 px-2 py-0.5 text-xs text-ink-2"
              >
                {capability}
              </li>
            ))}
          </ul>
        </TitledPart>
        <TitledPart title={strings.roles.tools}>
          {tools.length === 0 ? (
            <span className="text-ink-3">{strings.roles.noTools}</span>
          ) : (
            <span className="font-mono text-xs">{tools.join(', ')}</span>
          )}
        </TitledPart>
        <TitledPart title={strings.roles.prompt} aside={<CopyButton text={role.prompt} />}>
          <p className="max-w-prose rounded-md bg-surface-0 p-3 leading-relaxed whitespace-pre-wrap">
            {role.prompt}
          </p>
        </TitledPart>
        {role.output_form ? (
          <TitledPart title={strings.roles.outputForm}>{role.output_form}</TitledPart>
        ) : null}
        {role.refuse_condition ? (
          <TitledPart title={strings.roles.refuse}>
            {role.refuse_condition}
            <p className="text-xs text-ink-3">{strings.roles.refuseSmall}</p>
          </TitledPart>
        ) : null}
      </div>
    </article>
  )
}
