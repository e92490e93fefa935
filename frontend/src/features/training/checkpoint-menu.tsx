import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { buttonClass } from '@/components/button-class'
import { Checkbox } from '@/components/checkbox'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Dialog } from '@/components/dialog'
import { named } from '@/components/options'
import { Refusal } from '@/components/query-state'
import { Select } from '@/components/select'
import type { Checkpoint } from '@/lib/api/checkpoints'
import { api, unwrap } from '@/lib/api/client'
import { queries, useKeepsAgents, useMe, useMethodName } from '@/lib/api/queries'
import { useChange } from '@/lib/api/use-change'
import { notify } from '@/lib/toasts'
import { strings } from '@/strings/studio'
import { text } from '@/strings/training'

import { AgentDifferences } from './agent-differences'
import { poolOf } from './checkpoint-values'

const { checkpoints: words } = text

type Asking = 'promote' | 'delete' | 'agents' | null

/** What can be done with a checkpoint, for those who may. */
export function CheckpointMenu({ checkpoint }: Readonly<{ checkpoint: Checkpoint }>) {
  const me = useMe()
  const keepsAgents = useKeepsAgents()
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
            {keepsAgents(method) ? (
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
      deed={act}
      onConfirm={() => act.mutate()}
      onClose={onClose}
    />
  )
}

const { agents: agentWords } = text

interface Props {
  checkpoint: Checkpoint
  onClose: () => void
}

/** What a checkpoint knows beside the live agents; a curator may put it in their place. */
function LiveAgentsDialog({ checkpoint, onClose }: Readonly<Props>) {
  const pools = useQuery(queries.pools).data ?? []
  const [wanted, setWanted] = useState<string | null>(null)
  const [keep, setKeep] = useState(true)
  const mayRestore = useMe()?.permissions.curate === true
  const pool = wanted ?? poolOf(checkpoint) ?? pools[0]?.key ?? null
  const restore = useChange(
    (key: string) => {
      const body = { pool: key, checkpoint: checkpoint.name, keep }
      return unwrap(api.POST('/api/agents/restore', { body }))
    },
    [['agents'], ['checkpoints']],
    ({ restored, before }) => {
      notify(agentWords.restored(restored.changed, before))
      onClose()
    },
  )
  return (
    <Dialog
      isOpen
      wide
      onClose={onClose}
      title={agentWords.liveTitle(checkpoint.name)}
      footer={
        <>
          <Button onPress={onClose}>{strings.common.close}</Button>
          {mayRestore ? (
            <Button
              variant="danger"
              isPending={restore.isPending}
              isDisabled={pool === null}
              onPress={() => {
                if (pool !== null) restore.mutate(pool)
              }}
            >
              {agentWords.restore}
            </Button>
          ) : null}
        </>
      }
    >
      <div className="-mx-4 flex flex-col gap-4">
        <div className="flex flex-col gap-3 px-4">
          <Select
            label={agentWords.pool}
            options={named(pools)}
            value={pool}
            onChange={setWanted}
          />
          {mayRestore ? (
            <>
              <p className="text-ink-2">{agentWords.restoreBody}</p>
              <Checkbox isSelected={keep} onChange={setKeep}>
                {agentWords.keep}
              </Checkbox>
            </>
          ) : null}
          <Refusal of={restore} />
        </div>
        {pool === null ? null : (
          <AgentDifferences left={checkpoint.name} right={null} pool={pool} />
        )}
      </div>
    </Dialog>
  )
}
