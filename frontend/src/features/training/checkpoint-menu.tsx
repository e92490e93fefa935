import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { useNavigate } from 'react-router'

import { buttonClass } from '@/components/button-class'
import { ConfirmDialog } from '@/components/confirm-dialog'
import type { Checkpoint } from '@/lib/api/checkpoints'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { useMe, useMethodName } from '@/lib/api/queries'
import { strings } from '@/strings/studio'
import { notify } from '@/lib/toasts'

import { text } from '@/strings/training'
import { holdsAgents } from './checkpoint-values'
import { LiveAgentsDialog } from './live-agents-dialog'

const { checkpoints: words } = text

type Asking = 'promote' | 'delete' | 'agents' | null

/** What can be done with a checkpoint, for those who may. */
export function CheckpointMenu({ checkpoint }: Readonly<{ checkpoint: Checkpoint }>) {
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
            {holdsAgents(checkpoint) ? (
              <Item onAction={() => setAsking('agents')}>{text.agents.action}</Item>
            ) : null}
            {curate ? <Item onAction={() => setAsking('promote')}>{words.promote}</Item> : null}
            {curate ? <Item onAction={() => setAsking('delete')}>{words.delete}</Item> : null}
          </Menu>
        </Popover>
      </MenuTrigger>
      {asking === 'agents' ? (
        <LiveAgentsDialog checkpoint={checkpoint} onClose={() => setAsking(null)} />
      ) : null}
      {asking === null || asking === 'agents' ? null : (
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
