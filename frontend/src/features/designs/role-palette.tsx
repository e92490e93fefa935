import { useQuery } from '@tanstack/react-query'
import { GripVertical, PencilLine } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'

import { EmptyState } from '@/components/empty-state'
import { FamilyMark } from '@/components/family-mark'
import { named } from '@/components/options'
import { Refusal } from '@/components/query-state'
import { SearchBox } from '@/components/search-box'
import { Select } from '@/components/select'
import { WorkingBlock } from '@/components/working'
import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { queries, oneOf } from '@/lib/api/queries'
import { useCommands, type Command } from '@/lib/commands'
import { groupRoles } from '@/lib/group-roles'
import { ROVING, useRoving } from '@/lib/use-roving'

import { useDesignStore } from './design-store'
import { text } from '@/strings/designs'

import { dragRole } from './drag-role'
import { addReader, type DraftRole } from './edits'
import { OWN_ROLE, roleOf } from './roles'
import { useReveal } from './use-reveal'

const words = text.palette

type Pool = components['schemas']['Pool']
type PoolRole = components['schemas']['RoleState']

interface PaletteProps {
  onAdded?: ((id: string) => void) | undefined
}

/** The roles of a pool, to be dragged onto the canvas or added with a press. */
export function RolePalette({ onAdded }: Readonly<PaletteProps>) {
  const pools = useQuery(queries.pools)
  const [wanted, setWanted] = useState<string | null>(null)
  const pool = oneOf(pools.data, wanted)
  return (
    <section aria-label={words.title} className="flex h-full min-h-0 flex-col">
      <Refusal of={pools} />
      {(pools.data?.length ?? 0) > 1 ? (
        <Select
          label={words.pool}
          labelHidden
          className="px-2 pt-2"
          options={named(pools.data)}
          value={pool?.key ?? null}
          onChange={setWanted}
        />
      ) : null}
      <PoolRoles pool={pool ?? null} onAdded={onAdded} />
    </section>
  )
}

/** As they are published, which is what runs take of a pool: a half-edited prompt is in no design. */
function PoolRoles({ pool, onAdded }: Readonly<{ pool: Pool | null } & PaletteProps>) {
  const [search, setSearch] = useState('')
  const path = { key: pool?.key ?? '', version: pool?.published_version ?? 0 }
  const published = useQuery({
    queryKey: ['pool', path.key, 'version', path.version],
    queryFn: () => unwrap(api.GET('/api/pools/{key}/versions/{version}', { params: { path } })),
    enabled: path.version > 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const enabled = useMemo(
    () => (published.data?.roles ?? []).filter((role) => role.enabled),
    [published.data],
  )
  const groups = useMemo(() => groupRoles(enabled, search), [enabled, search])
  const roving = useRoving()
  useAddCommands(enabled)
  return (
    <>
      <div className="p-2" data-slash-focus>
        <SearchBox label={words.search} value={search} onChange={setSearch} />
      </div>
      <div
        {...roving}
        role="toolbar"
        aria-orientation="vertical"
        aria-label={words.title}
        className="min-h-0 flex-1 overflow-auto pb-2"
      >
        <p className="px-3 pb-1 text-xs text-ink-3">{words.hint}</p>
        {pool ? <DraftNote pool={pool} /> : null}
        <RoleItem role={OWN_ROLE} name={words.own} help={words.ownHelp} onAdded={onAdded} />
        {published.isLoading ? <WorkingBlock /> : null}
        <Refusal of={published} />
        {published.data && groups.length === 0 ? <EmptyState title={words.noMatch} /> : null}
        {groups.map(({ family, roles }) => (
          <section key={family}>
            <h2 className="sticky top-0 bg-surface-1 px-3 pt-2 pb-1">
              <FamilyMark family={family} />
            </h2>
            <ul>
              {roles.map((role) => (
                <li key={role.key}>
                  <RoleItem
                    role={roleOf(role)}
                    name={role.name}
                    help={role.description}
                    onAdded={onAdded}
                  />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  )
}

function DraftNote({ pool }: Readonly<{ pool: Pool }>) {
  if (pool.published_version !== null && !pool.has_changes) return null
  return (
    <p className="px-3 pb-1 text-xs text-warn">
      {pool.published_version === null ? words.unpublished : words.draft}
    </p>
  )
}

interface ItemProps extends PaletteProps {
  role: DraftRole
  name: string
  help: string
}

function RoleItem({ role, name, help, onAdded }: Readonly<ItemProps>) {
  const addRole = useAddRole()
  const add = (): void => {
    const id = addRole(role)
    onAdded?.(id)
  }
  return (
    <button
      {...ROVING}
      type="button"
      draggable
      onDragStart={(event) => dragRole(event.dataTransfer, role)}
      onClick={add}
      className="group flex w-full cursor-grab items-center gap-1.5 px-3 py-1.5 text-left hover:bg-surface-2 focus-visible:-outline-offset-2"
    >
      {role === OWN_ROLE ? (
        <PencilLine size={14} aria-hidden className="shrink-0 text-accent" />
      ) : (
        <GripVertical
          size={14}
          aria-hidden
          className="shrink-0 text-ink-3 opacity-40 group-hover:opacity-100"
        />
      )}
      <span className="min-w-0 flex-1">
        <span className="block truncate text-sm font-medium">
          <span className="sr-only">{words.add} </span>
          {name}
        </span>
        <span className="block truncate text-xs text-ink-3">{help}</span>
      </span>
    </button>
  )
}

/** Whoever is chosen alone is read by the new one, so that a chain is drawn with presses alone. */
function useAddRole(): (role: DraftRole) => string {
  const store = useDesignStore()
  const reveal = useReveal()
  return useCallback(
    (role) => {
      const { edit, history, select, selection } = store.getState()
      const [source] = selection.agents.size === 1 ? [...selection.agents] : []
      const [next, id] = addReader(history.present.spec, role, source ?? null)
      edit(() => next)
      select({ agents: new Set([id]) })
      reveal(id)
      return id
    },
    [reveal, store],
  )
}

/** Every role of the pool by its name; the list itself may be narrowed by a search. */
function useAddCommands(roles: readonly PoolRole[]): void {
  const add = useAddRole()
  const commands = useMemo<Command[]>(
    () => [
      { id: 'design.add', label: text.commands.addOwn, run: () => add(OWN_ROLE) },
      ...roles.map((role) => ({
        id: `design.add ${role.key}`,
        label: text.commands.add(role.name),
        run: () => add(roleOf(role)),
        searched: true,
      })),
    ],
    [add, roles],
  )
  useCommands(commands)
}
