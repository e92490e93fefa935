import { useQuery } from '@tanstack/react-query'
import { Download, Pencil, UsersRound } from 'lucide-react'
import { useSearchParams } from 'react-router'

import { buttonClass } from '@/components/button-class'
import { EmptyState } from '@/components/empty-state'
import { ErrorPanel } from '@/components/error-panel'
import { Page } from '@/components/page'
import { Select } from '@/components/select'
import { WorkingBlock } from '@/components/working'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { queries, useMe } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { strings } from '@/strings/studio'
import { useTitle } from '@/lib/use-title'

import { DraftNotice } from './draft-notice'
import { RoleBrowser } from './role-browser'

export function RolesPage() {
  useTitle(strings.roles.title)
  const pools = useQuery(queries.pools)
  const [search, setSearch] = useSearchParams()
  const wanted = search.get('pool')
  const key =
    pools.data?.find((pool) => pool.key === wanted)?.key ??
    pools.data?.find((pool) => pool.is_default)?.key ??
    pools.data?.[0]?.key
  return (
    <Page
      title={strings.roles.title}
      lead={strings.roles.lead}
      actions={
        <PoolActions
          poolKey={key ?? null}
          options={(pools.data ?? []).map((pool) => ({
            key: pool.key,
            label: pool.name,
            description: `${strings.roles.count(formatCount(pool.role_count))} · ${strings.common.version(pool.version)}`,
          }))}
          onChange={(pool) => setSearch({ pool }, { replace: true })}
        />
      }
    >
      {pools.isPending ? <WorkingBlock /> : null}
      {pools.isError ? (
        <ErrorPanel problem={toApiError(pools.error)} onRetry={() => void pools.refetch()} />
      ) : null}
      {pools.isSuccess && key === undefined ? <NoRoles /> : null}
      {key === undefined ? null : <PoolRoles key={key} poolKey={key} />}
    </Page>
  )
}

interface ActionsProps {
  poolKey: string | null
  options: { key: string; label: string; description: string }[]
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
  if (pool.isError)
    return <ErrorPanel problem={toApiError(pool.error)} onRetry={() => void pool.refetch()} />
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
    <EmptyState icon={<UsersRound size={28} aria-hidden />} title={strings.roles.emptyTitle}>
      {strings.roles.emptyBody}
    </EmptyState>
  )
}
