import { queryOptions, useQuery } from '@tanstack/react-query'
import { Bookmark, Trash2 } from 'lucide-react'
import { useState, type SyntheticEvent } from 'react'
import { Button as Trigger, Dialog, DialogTrigger, Form, Popover } from 'react-aria-components'

import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { fieldMessage, toApiError } from '@/lib/api/errors'
import { useChange } from '@/lib/api/use-change'
import { strings } from '@/strings/studio'
import type { CommonFilter } from '@/lib/use-list-filters'

import { Button, IconButton } from './button'
import { buttonClass } from './button-class'
import { ConfirmDialog } from './confirm-dialog'
import { cx } from './cx'
import { ErrorPanel } from './error-panel'
import { QueryError, Refusal } from './query-state'
import { TextField } from './text-field'
import { Working } from './working'

const text = strings.views
const NAME_CHARS = 60

type View = components['schemas']['SavedView']
export type ViewPage = View['page']

const viewsQuery = queryOptions({
  queryKey: ['views'],
  queryFn: () => unwrap(api.GET('/api/me/views')),
  staleTime: 60_000,
})

interface Props {
  page: ViewPage
  /** Its filters: `address` says how they stand, and is empty where there are none. */
  list: Pick<CommonFilter<string>, 'address' | 'open' | 'isOpen'>
}

/** Filters under a name, one's own: to come back to, to save, to delete. */
export function SavedViews(props: Readonly<Props>) {
  const kept = useQuery(viewsQuery)
  const views = kept.data?.filter(({ page }) => page === props.page)
  const { address, isOpen } = props.list
  const open = views?.find(({ query }) => isOpen(query))
  return (
    <DialogTrigger>
      <Trigger
        aria-label={open ? text.opened(open.name) : text.open}
        className={buttonClass({ size: 'sm' })}
      >
        <Bookmark size={14} aria-hidden className={cx(open && 'fill-accent text-accent')} />
        <span className="max-w-40 truncate">{open?.name ?? text.open}</span>
      </Trigger>
      <Popover className="w-72 max-w-[calc(100vw-1.5rem)] rounded-lg border border-line bg-surface-1 shadow-float">
        <Dialog aria-label={text.open} className="flex flex-col gap-2 p-2 outline-none">
          {({ close }) => (
            <>
              {kept.isPending ? <Working /> : null}
              {kept.error ? <QueryError of={kept} /> : null}
              <List views={views ?? []} {...props} close={close} />
              {address === '' || open || !views ? null : (
                <SaveView {...props} views={views} close={close} />
              )}
              {views?.length === 0 && address === '' ? (
                <p className="px-1 text-sm text-ink-2">{text.none}</p>
              ) : null}
            </>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}

type InPopover = Props & { close: () => void }

function List({ views, list, close }: Readonly<InPopover & { views: readonly View[] }>) {
  const remove = useChange(
    (id: string) => api.DELETE('/api/me/views/{view_id}', { params: { path: { view_id: id } } }),
    [viewsQuery.queryKey],
  )
  if (views.length === 0) return null
  return (
    <>
      <ul className="flex max-h-72 flex-col overflow-auto">
        {views.map((view) => (
          <li key={view.id} className="flex items-center gap-1">
            <Button
              variant="quiet"
              size="sm"
              aria-pressed={list.isOpen(view.query)}
              className={cx(
                'min-w-0 flex-1 justify-start',
                list.isOpen(view.query) && 'font-semibold text-accent',
              )}
              onPress={() => {
                list.open(view.query)
                close()
              }}
            >
              <span className="truncate">{view.name}</span>
            </Button>
            <IconButton
              label={text.remove(view.name)}
              isPending={remove.isPending && remove.variables === view.id}
              onPress={() => remove.mutate(view.id)}
              icon={Trash2}
            />
          </li>
        ))}
      </ul>
      <Refusal of={remove} />
    </>
  )
}

function SaveView({ views, page, list, close }: Readonly<InPopover & { views: readonly View[] }>) {
  const [name, setName] = useState('')
  const [asks, setAsks] = useState(false)
  const wanted = name.trim()
  const save = useChange(
    () => unwrap(api.POST('/api/me/views', { body: { page, name, query: list.address } })),
    [viewsQuery.queryKey],
    close,
  )
  const error = save.error ? toApiError(save.error) : null
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault()
    if (save.isPending || !wanted) return
    if (views.some((view) => view.name === wanted)) setAsks(true)
    else save.mutate()
  }
  const onName = fieldMessage(error, 'name')
  return (
    <Form onSubmit={submit} className="flex flex-col gap-2 border-t border-line p-1 pt-2">
      <TextField
        label={text.name}
        value={name}
        maxLength={NAME_CHARS}
        onChange={setName}
        error={onName}
      />
      <Button
        type="submit"
        variant="primary"
        size="sm"
        isPending={save.isPending}
        isDisabled={wanted === ''}
      >
        {text.save}
      </Button>
      {error && !onName ? <ErrorPanel problem={error} /> : null}
      {asks ? (
        <ConfirmDialog
          title={text.replaceTitle(wanted)}
          body={text.replaceBody}
          action={text.replace}
          deed={save}
          onConfirm={() => save.mutate()}
          onClose={() => setAsks(false)}
        />
      ) : null}
    </Form>
  )
}
