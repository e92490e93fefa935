import type { ReactNode } from 'react'
import { Link } from 'react-router'

import { Badge } from '@/components/badge'
import { CopyButton } from '@/components/copy-button'
import { FamilyMark } from '@/components/family-mark'
import { strings } from '@/strings/studio'

import type { Role } from '@/lib/group-roles'

interface Props {
  role: Role
  poolKey: string
}

export function RoleDetail({ role, poolKey }: Readonly<Props>) {
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
          <Link
            to={`/agents?${new URLSearchParams({ pool: poolKey, role: role.key }).toString()}`}
            className="rounded-sm text-accent hover:underline"
          >
            {strings.roles.agents}
          </Link>
        </p>
      </header>
      <div className="flex flex-col gap-5 p-4">
        <Part title={strings.roles.capabilities}>
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
        </Part>
        <Part title={strings.roles.tools}>
          {tools.length === 0 ? (
            <span className="text-ink-3">{strings.roles.noTools}</span>
          ) : (
            <span className="font-mono text-xs">{tools.join(', ')}</span>
          )}
        </Part>
        <Part title={strings.roles.prompt} aside={<CopyButton text={role.prompt} />}>
          <p className="max-w-prose rounded-md bg-surface-0 p-3 leading-relaxed whitespace-pre-wrap">
            {role.prompt}
          </p>
        </Part>
        {role.output_form ? <Part title={strings.roles.outputForm}>{role.output_form}</Part> : null}
        {role.refuse_condition ? (
          <Part title={strings.roles.refuse}>
            {role.refuse_condition}
            <p className="text-xs text-ink-3">{strings.roles.refuseSmall}</p>
          </Part>
        ) : null}
      </div>
    </article>
  )
}

interface PartProps {
  title: string
  aside?: ReactNode
  children: ReactNode
}

function Part({ title, aside, children }: Readonly<PartProps>) {
  return (
    <section className="flex max-w-prose flex-col gap-1">
      <header className="flex min-h-7 items-center justify-between">
        <h3 className="text-xs font-medium text-ink-3">{title}</h3>
        {aside}
      </header>
      <div className="whitespace-pre-wrap">{children}</div>
    </section>
  )
}
