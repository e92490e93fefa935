import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, Pencil, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'

import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { EmptyState } from '@/components/empty-state'
import { FormDialog } from '@/components/form-dialog'
import { Notice } from '@/components/notice'
import { poolOptions } from '@/components/options'
import { Page } from '@/components/page'
import { QueryError, QueryState } from '@/components/query-state'
import { Select, type Option } from '@/components/select'
import { TextField } from '@/components/text-field'
import { WorkingBlock } from '@/components/working'
import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { queries, useMe, oneOf } from '@/lib/api/queries'
import { useTitle } from '@/lib/use-title'
import { strings } from '@/strings/studio'

import { RoleBrowser } from './role-browser'
import { RoleChanges } from './role-changes'

export function RolesPage() {
  useTitle(strings.roles.title)
  const pools = useQuery(queries.pools)
  const [search, setSearch] = useSearchParams()
  const wanted = search.get('pool')
  const key = oneOf(pools.data, wanted)?.key
  return (
    <Page
      title={strings.roles.title}
      lead={strings.roles.lead}
      actions={
        <PoolActions
          poolKey={key ?? null}
          options={poolOptions(pools.data)}
          onChange={(pool) => setSearch({ pool }, { replace: true })}
        />
      }
    >
      <QueryState of={pools} />
      {pools.isSuccess && key === undefined ? <NoRoles /> : null}
      {key === undefined ? null : <PoolRoles key={key} poolKey={key} />}
    </Page>
  )
}

interface ActionsProps {
  poolKey: string | null
  options: readonly Option[]
  onChange: (key: string) => void
}

function PoolActions({ poolKey, options, onChange }: Readonly<ActionsProps>) {
  const me = useMe()
  if (poolKey === null) return null
  return (
    <div className="flex w-full flex-wrap items-center gap-2 sm:w-auto">
      <Select
        label={strings.roles.pool}
        labelHidden
        options={options}
        value={poolKey}
        onChange={onChange}
        className="flex-1 sm:w-48 sm:flex-none"
      />
      <a href={`/api/pools/${poolKey}/export`} download className={buttonClass()}>
        <Download size={14} aria-hidden />
        {strings.roles.export}
      </a>
      {me?.permissions.curate ? (
        <a href="/admin/roles/role/" className={buttonClass()}>
          <Pencil size={14} aria-hidden />
          {strings.roles.edit}
        </a>
      ) : null}
    </div>
  )
}

function PoolRoles({ poolKey }: Readonly<{ poolKey: string }>) {
  const pool = useQuery({
    queryKey: ['pool', poolKey],
    queryFn: () => unwrap(api.GET('/api/pools/{key}', { params: { path: { key: poolKey } } })),
  })
  if (pool.isPending) return <WorkingBlock />
  if (pool.isError) return <QueryError of={pool} />
  return (
    <>
      {pool.data.has_changes ? <DraftNotice pool={pool.data} /> : null}
      {pool.data.roles.length === 0 ? (
        <NoRoles />
      ) : (
        <RoleBrowser roles={pool.data.roles} poolKey={poolKey} />
      )}
    </>
  )
}

function NoRoles() {
  return (
    <EmptyState icon={UsersRound} title={strings.roles.emptyTitle}>
      {strings.roles.emptyBody}
    </EmptyState>
  )
}

const text = strings.roles.draft

/** What is read here is not yet what runs take. A curator publishes it once they have seen what that changes. */
function DraftNotice({ pool }: Readonly<{ pool: components['schemas']['PoolDetail'] }>) {
  const me = useMe()
  const [isLooking, setLooking] = useState(false)
  return (
    <div className="pb-4">
      <Notice tone="warn" title={text.title}>
        <p>
          {pool.published_version === null ? text.nothing : text.published(pool.published_version)}
        </p>
        {me?.permissions.curate ? (
          <div className="pt-2">
            <Button size="sm" onPress={() => setLooking(true)}>
              {text.look}
            </Button>
          </div>
        ) : null}
      </Notice>
      {isLooking ? <PublishDialog pool={pool} onClose={() => setLooking(false)} /> : null}
    </div>
  )
}

interface Props {
  pool: components['schemas']['PoolDetail']
  onClose: () => void
}

/** Shows what publishing changes of what runs take, then does it; a draft that is another one by now is refused. */
function PublishDialog({ pool, onClose }: Readonly<Props>) {
  const { key, version } = pool
  const client = useQueryClient()
  const [note, setNote] = useState('')
  const diff = useQuery({
    queryKey: ['pool', key, 'changes', version],
    queryFn: () => unwrap(api.GET('/api/pools/{key}/diff', { params: { path: { key } } })),
  })
  const publish = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/pools/{key}/publish', {
          params: { path: { key } },
          body: { version, note },
        }),
      ),
    onSuccess: onClose,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['pool', key] }),
        client.invalidateQueries({ queryKey: queries.pools.queryKey }),
      ]),
  })
  return (
    <FormDialog
      wide
      title={text.dialog}
      onClose={onClose}
      action={text.publish}
      deed={publish}
      isDisabled={!diff.isSuccess}
      onSubmit={() => publish.mutate()}
    >
      <QueryState of={diff} />
      {diff.data ? <RoleChanges diff={diff.data} /> : null}
      <TextField
        label={text.note}
        aside={strings.common.optional}
        value={note}
        maxLength={500}
        onChange={setNote}
      />
    </FormDialog>
  )
}
