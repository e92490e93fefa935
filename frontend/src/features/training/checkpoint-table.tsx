import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { Link, useNavigate } from 'react-router'

import { Badge } from '@/components/badge'
import { buttonClass } from '@/components/button-class'
import { Checkbox } from '@/components/checkbox'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { DataTable, type Column } from '@/components/data-table'
import type { Checkpoint } from '@/lib/api/checkpoints'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { useMe, useMethodName } from '@/lib/api/queries'
import {
  formatAgo,
  formatBytes,
  formatCount,
  formatDateTime,
  formatMetric,
  formatShare,
  UNKNOWN,
} from '@/lib/format'
import { sortOf, sortText } from '@/lib/sorting'
import { strings } from '@/lib/strings'
import { notify } from '@/lib/toasts'
import { useNow } from '@/lib/use-now'
import { useParam } from '@/lib/use-param'

import { metricsOf } from './checkpoint-values'
import { text } from './training-strings'

const { checkpoints: words } = text

interface Props {
  rows: readonly Checkpoint[]
  withJob: boolean
  /** Names marked for comparison, two at most. */
  marked: readonly string[]
  onMark: (name: string, isMarked: boolean) => void
}

export function CheckpointTable({ rows, withJob, marked, onMark }: Readonly<Props>) {
  const [sort, setSort] = useParam('order')
  const now = useNow()
  const columns = columnsAt(now, marked, onMark)
  return (
    <DataTable
      label={words.label}
      rows={rows}
      keyOf={({ name }) => name}
      columns={withJob ? columns : columns.filter(({ key }) => key !== 'job')}
      sort={sortOf(sort ?? '-when')}
      onSort={(next) => setSort(sortText(next))}
    />
  )
}

const columnsAt = (
  now: number,
  marked: readonly string[],
  onMark: Props['onMark'],
): Column<Checkpoint>[] => [
  {
    key: 'choose',
    head: <span className="sr-only">{words.columns.choose}</span>,
    className: 'w-8',
    render: ({ name }) => (
      <Checkbox isSelected={marked.includes(name)} onChange={(isMarked) => onMark(name, isMarked)}>
        <span className="sr-only">{words.mark(name)}</span>
      </Checkbox>
    ),
  },
  {
    key: 'name',
    head: words.columns.name,
    isRowHead: true,
    className: 'min-w-48',
    value: ({ name }) => name,
    render: (checkpoint) => <Name checkpoint={checkpoint} />,
  },
  {
    key: 'job',
    head: words.columns.job,
    value: ({ job_name }) => job_name,
    render: ({ job, job_name }) =>
      job === null ? (
        UNKNOWN
      ) : (
        <Link to={`/training/${job}`} className="rounded-sm text-accent hover:underline">
          {job_name}
        </Link>
      ),
  },
  {
    key: 'step',
    head: words.columns.step,
    numeric: true,
    value: ({ step }) => step,
    render: ({ step }) => formatCount(step),
  },
  {
    key: 'reward',
    head: words.columns.reward,
    numeric: true,
    value: (row) => metricsOf(row).reward ?? null,
    render: (row) => formatMetric(metricsOf(row).reward),
  },
  {
    key: 'accuracy',
    head: words.columns.accuracy,
    numeric: true,
    value: (row) => metricsOf(row).accuracy ?? null,
    render: (row) => formatShare(metricsOf(row).accuracy),
  },
  {
    key: 'tokens',
    head: words.columns.tokens,
    numeric: true,
    value: (row) => metricsOf(row).tokens ?? null,
    render: (row) => formatCount(metricsOf(row).tokens),
  },
  {
    key: 'size',
    head: words.columns.size,
    numeric: true,
    value: ({ size_bytes }) => size_bytes,
    render: ({ size_bytes }) => formatBytes(size_bytes),
  },
  {
    key: 'when',
    head: words.columns.when,
    className: 'whitespace-nowrap',
    first: 'descending',
    value: ({ created_at }) => created_at,
    render: ({ created_at }) => (
      <time dateTime={created_at} title={formatDateTime(created_at)}>
        {formatAgo(created_at, now)}
      </time>
    ),
  },
  {
    key: 'actions',
    head: <span className="sr-only">{words.columns.actions}</span>,
    // In sight also where the window is too narrow for the table.
    className: 'sticky right-0 bg-inherit',
    render: (checkpoint) => <RowMenu checkpoint={checkpoint} />,
  },
]

function Name({ checkpoint }: Readonly<{ checkpoint: Checkpoint }>) {
  const { name, label, is_default, promoted, trained } = checkpoint
  return (
    <>
      <span className="flex flex-wrap items-center gap-1.5">
        {name}
        {is_default ? <Badge tone="accent">{words.default}</Badge> : null}
        {promoted && !is_default ? <Badge tone="good">{words.promoted}</Badge> : null}
        {trained ? null : <Badge tone="warn">{words.untrained}</Badge>}
      </span>
      {label && label !== name ? (
        <span className="block text-xs font-normal text-ink-3">{label}</span>
      ) : null}
    </>
  )
}

type Asking = 'promote' | 'delete' | null

function RowMenu({ checkpoint }: Readonly<{ checkpoint: Checkpoint }>) {
  const me = useMe()
  const navigate = useNavigate()
  const [asking, setAsking] = useState<Asking>(null)
  const { name, method, is_default } = checkpoint
  const params = new URLSearchParams({ method, checkpoint: name }).toString()
  const curate = me?.permissions.curate === true && !is_default
  if (me?.permissions.run !== true) return null
  return (
    <>
      <MenuTrigger>
        <AriaButton
          aria-label={words.more(name)}
          className={buttonClass({ variant: 'quiet', size: 'sm', square: true })}
        >
          <Ellipsis size={16} aria-hidden />
        </AriaButton>
        <Popover
          placement="bottom end"
          className="w-48 rounded-lg border border-line bg-surface-1 p-1 shadow-float"
        >
          <Menu className="outline-none">
            <Item onAction={() => void navigate(`/?${params}`)}>{words.ask}</Item>
            <Item onAction={() => void navigate(`/evaluations/new?${params}`)}>
              {words.evaluate}
            </Item>
            {curate ? <Item onAction={() => setAsking('promote')}>{words.promote}</Item> : null}
            {curate ? <Item onAction={() => setAsking('delete')}>{words.delete}</Item> : null}
          </Menu>
        </Popover>
      </MenuTrigger>
      {asking === null ? null : (
        <Question asking={asking} checkpoint={checkpoint} onClose={() => setAsking(null)} />
      )}
    </>
  )
}

function Item({ onAction, children }: Readonly<{ onAction: () => void; children: string }>) {
  return (
    <MenuItem
      onAction={onAction}
      className="flex h-8 cursor-default items-center rounded-md px-2 text-sm outline-none data-[focused]:bg-surface-2"
    >
      {children}
    </MenuItem>
  )
}

interface QuestionProps {
  asking: 'promote' | 'delete'
  checkpoint: Checkpoint
  onClose: () => void
}

function Question({ asking, checkpoint: { name, method, job }, onClose }: Readonly<QuestionProps>) {
  const client = useQueryClient()
  const methodName = useMethodName()
  const params = { path: { name } }
  const act = useMutation({
    mutationFn: async () => {
      if (asking === 'promote')
        await unwrap(api.POST('/api/checkpoints/{name}/promote', { params }))
      else await api.DELETE('/api/checkpoints/{name}', { params })
    },
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['checkpoints'] }),
        client.invalidateQueries({ queryKey: ['training', job], exact: true }),
      ])
      notify(asking === 'promote' ? words.promoted_ : words.deleted)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={asking === 'promote' ? words.promoteTitle(name) : words.deleteTitle(name)}
      body={asking === 'promote' ? words.promoteBody(methodName(method)) : words.deleteBody}
      action={asking === 'promote' ? words.promote : strings.common.delete}
      isPending={act.isPending}
      problem={act.error ? toApiError(act.error) : null}
      onConfirm={() => act.mutate()}
      onClose={onClose}
    />
  )
}
