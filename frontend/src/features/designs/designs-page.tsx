import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Copy, FileCode, Plus, Trash2, Upload, Workflow } from 'lucide-react'
import { useRef, useState } from 'react'
import { useNavigate } from 'react-router'

import { Ago } from '@/components/ago'
import { Button, IconButton } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { DataTable, type Column, numberColumn } from '@/components/data-table'
import { DelayedSearch } from '@/components/delayed-search'
import { Dialog } from '@/components/dialog'
import { EmptyState } from '@/components/empty-state'
import { Listing, NoMatch } from '@/components/listing'
import { Page } from '@/components/page'
import { Refusal } from '@/components/query-state'
import { TextLink } from '@/components/text-link'
import { toApiError, type ApiError } from '@/lib/api/errors'
import { useMe } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { notifyProblem } from '@/lib/toasts'
import { useListFilters } from '@/lib/use-list-filters'
import { useTitle } from '@/lib/use-title'

import { text } from '@/strings/designs'
import { strings } from '@/strings/studio'

import { EMPTY } from './edits'
import { Sentences } from './turn-part'

import {
  createDesign,
  deleteDesign,
  designList,
  FILTERS,
  importDesign,
  readDesign,
  type Design,
  type DesignRow,
} from './use-designs'

export function DesignsPage() {
  useTitle(text.title)
  const { filters, isFiltered, change, clear } = useListFilters(FILTERS)
  const list = useInfiniteQuery(designList(filters))
  const rows = list.data?.pages.flatMap((page) => page.results) ?? []
  const mayDraw = useMe()?.permissions.run ?? false
  const [leaving, setLeaving] = useState<DesignRow | null>(null)
  return (
    <Page title={text.title} lead={text.lead} actions={mayDraw ? <Begin /> : null}>
      <div className="flex flex-wrap items-center gap-2">
        <DelayedSearch
          label={text.search}
          className="w-full sm:w-64"
          value={filters.q}
          onChange={(q) => change({ q })}
        />
        <Checkbox isSelected={filters.mine} onChange={(mine) => change({ mine })} className="px-1">
          {text.mine}
        </Checkbox>
      </div>
      <Listing
        list={list}
        isEmpty={rows.length === 0}
        none={
          isFiltered ? (
            <NoMatch title={text.noMatchTitle} clear={text.clear} onClear={clear}>
              {text.noMatchBody}
            </NoMatch>
          ) : (
            <NoDesigns mayDraw={mayDraw} />
          )
        }
        shown={list.hasNextPage ? text.shown(formatCount(rows.length)) : null}
        more={text.more}
      >
        <DesignTable rows={rows} onDelete={setLeaving} />
      </Listing>
      {leaving ? <DeleteDialog design={leaving} onClose={() => setLeaving(null)} /> : null}
    </Page>
  )
}

/** A new one, empty or from a file. */
function Begin() {
  const navigate = useNavigate()
  const client = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const begin = useMutation({
    mutationFn: (from: From) => begun(from),
    onSuccess: async ({ id }) => {
      void client.invalidateQueries({ queryKey: ['designs'] })
      await navigate(`/designs/${id}`)
    },
  })
  const problem = toApiError(begin.error)
  const file = begin.variables
  const script = begin.isError && file instanceof File && isScript(file, problem) ? file : null
  return (
    <div className="flex flex-col items-end gap-2">
      <div className="flex flex-wrap gap-2">
        <Button
          isPending={begin.isPending && begin.variables instanceof File}
          icon={Upload}
          onPress={() => input.current?.click()}
        >
          {text.import}
        </Button>
        <Button
          isPending={begin.isPending && begin.variables === 'script'}
          icon={FileCode}
          onPress={() => begin.mutate('script')}
        >
          {text.newScript}
        </Button>
        <Button
          variant="primary"
          isPending={begin.isPending && begin.variables === 'drawing'}
          icon={Plus}
          onPress={() => begin.mutate('drawing')}
        >
          {text.new}
        </Button>
      </div>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={text.importHelp}
        accept=".json,.graphml,.xml,.py,application/json"
        onChange={(event) => {
          const file = event.target.files?.[0]
          event.target.value = ''
          if (file) begin.mutate(file)
        }}
      />
      {script ? (
        <ScriptRefused
          problem={problem}
          isPending={begin.isPending}
          onKeep={() => begin.mutate({ kept: script })}
          onClose={begin.reset}
        />
      ) : (
        <Refusal of={begin} />
      )}
    </div>
  )
}

const isScript = ({ name }: File, { fields }: ApiError): boolean =>
  name.toLowerCase().endsWith('.py') && fields.length > 0

/** What a new design begins as: empty, a file, or a script from a file that is to stay one. */
type From = 'drawing' | 'script' | File | { readonly kept: File }

const begun = (from: From): Promise<Design> => {
  if (from === 'drawing') return createDesign({ reuse: true })
  if (from === 'script') return createDesign({ draft: { ...EMPTY, script: text.script.first } })
  return from instanceof File ? importDesign(from, false) : importDesign(from.kept, true)
}

interface ScriptRefusedProps {
  problem: ApiError
  isPending: boolean
  onKeep: () => void
  onClose: () => void
}

/** Why a script can't be drawn; it can be kept as it is. */
function ScriptRefused(props: Readonly<ScriptRefusedProps>) {
  const { problem, isPending, onKeep, onClose } = props
  return (
    <Dialog
      isOpen
      wide
      title={text.script.notDrawn}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button variant="primary" isPending={isPending} onPress={onKeep}>
            {text.script.keep}
          </Button>
        </>
      }
    >
      <Sentences sentences={problem.fields.map(({ message }) => message)} />
    </Dialog>
  )
}

interface TableProps {
  rows: readonly DesignRow[]
  onDelete: (design: DesignRow) => void
}

function DesignTable({ rows, onDelete }: Readonly<TableProps>) {
  const me = useMe()
  const mayDelete = (row: DesignRow): boolean =>
    me !== undefined &&
    me.permissions.run &&
    (me.permissions.admin || row.created_by === me.username)
  const columns: Column<DesignRow>[] = [
    {
      key: 'name',
      head: text.columns.name,
      isRowHead: true,
      className: 'min-w-44',
      render: ({ id, name }) => (
        <TextLink to={`/designs/${id}`} className="block w-fit">
          {name}
        </TextLink>
      ),
    },
    numberColumn('agents', text.columns.agents, ({ agent_count, is_script }) =>
      is_script ? text.script.short : formatCount(agent_count),
    ),
    numberColumn('versions', text.columns.versions, ({ version_count }) =>
      formatCount(version_count),
    ),
    {
      key: 'changed',
      head: text.columns.changed,
      className: 'whitespace-nowrap',
      render: ({ updated_at, updated_by }) => (
        <>
          <Ago at={updated_at} />
          {updated_by ? <span className="text-ink-3"> {text.by(updated_by)}</span> : null}
        </>
      ),
    },
    {
      key: 'actions',
      head: <span className="sr-only">{text.actions}</span>,
      className: 'w-20 whitespace-nowrap text-right',
      render: (row) => (
        <>
          {(me?.permissions.run ?? false) ? <Duplicate row={row} /> : null}
          {mayDelete(row) ? (
            <IconButton
              label={`${text.delete}: ${row.name}`}
              icon={Trash2}
              onPress={() => onDelete(row)}
            />
          ) : null}
        </>
      ),
    },
  ]
  return (
    <DataTable
      label={text.title}
      rows={rows}
      keyOf={({ id }) => id}
      columns={columns}
      rowClass={() => 'hover:bg-surface-2'}
    />
  )
}

/** A design of its own with the same graph, opened at once. */
function Duplicate({ row }: Readonly<{ row: DesignRow }>) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const duplicate = useMutation({
    mutationFn: async () => {
      const { draft, name } = await readDesign(row.id)
      return createDesign({ name: text.copyName(name), draft: { ...draft } })
    },
    onSuccess: async ({ id }) => {
      void client.invalidateQueries({ queryKey: ['designs'] })
      await navigate(`/designs/${id}`)
    },
    onError: (thrown) => notifyProblem(toApiError(thrown)),
  })
  return (
    <IconButton
      label={`${text.duplicate}: ${row.name}`}
      isPending={duplicate.isPending}
      icon={Copy}
      onPress={() => duplicate.mutate()}
    />
  )
}

function NoDesigns({ mayDraw }: Readonly<{ mayDraw: boolean }>) {
  return (
    <EmptyState icon={Workflow} title={text.emptyTitle}>
      {text.emptyBody} {mayDraw ? '' : text.emptyViewer}
    </EmptyState>
  )
}

function DeleteDialog({ design, onClose }: Readonly<{ design: DesignRow; onClose: () => void }>) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deleteDesign(design.id),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['designs'] })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={text.deleteTitle(design.name)}
      body={text.deleteBody}
      action={text.delete}
      deed={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}
