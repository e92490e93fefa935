import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { Select } from '@/components/select'
import type { Checkpoint } from '@/lib/api/checkpoints'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { queries, useMe } from '@/lib/api/queries'
import { notify } from '@/lib/toasts'
import { strings } from '@/strings/studio'

import { text } from '@/strings/training'
import { AgentDifferences } from './agent-differences'
import { poolOf } from './checkpoint-values'

const { agents: words } = text

interface Props {
  checkpoint: Checkpoint
  onClose: () => void
}

/** What a checkpoint knows beside the live agents; a curator may put it in their place. */
export function LiveAgentsDialog({ checkpoint, onClose }: Readonly<Props>) {
  const client = useQueryClient()
  const pools = useQuery(queries.pools).data ?? []
  const [wanted, setWanted] = useState<string | null>(null)
  const [keep, setKeep] = useState(true)
  const mayRestore = useMe()?.permissions.curate === true
  const pool = wanted ?? poolOf(checkpoint) ?? pools[0]?.key ?? null
  const restore = useMutation({
    mutationFn: (key: string) =>
      unwrap(
        api.POST('/api/agents/restore', { body: { pool: key, checkpoint: checkpoint.name, keep } }),
      ),
    onSuccess: async ({ restored, before }) => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['agents'] }),
        client.invalidateQueries({ queryKey: ['checkpoints'] }),
      ])
      notify(words.restored(restored.changed, before))
      onClose()
    },
  })
  return (
    <Dialog
      isOpen
      wide
      onClose={onClose}
      title={words.liveTitle(checkpoint.name)}
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
              {words.restore}
            </Button>
          ) : null}
        </>
      }
    >
      <div className="-mx-4 flex flex-col gap-4">
        <div className="flex flex-col gap-3 px-4">
          <Select
            label={words.pool}
            options={pools.map(({ key, name }) => ({ key, label: name || key }))}
            value={pool}
            onChange={setWanted}
          />
          {mayRestore ? (
            <>
              <p className="text-ink-2">{words.restoreBody}</p>
              <Checkbox isSelected={keep} onChange={setKeep}>
                {words.keep}
              </Checkbox>
            </>
          ) : null}
          {restore.error ? <ErrorPanel problem={toApiError(restore.error)} /> : null}
        </div>
        {pool === null ? null : (
          <AgentDifferences left={checkpoint.name} right={null} pool={pool} />
        )}
      </div>
    </Dialog>
  )
}
