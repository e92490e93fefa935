import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { Select } from '@/components/select'
import { TextField } from '@/components/text-field'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { queries } from '@/lib/api/queries'
import { notify } from '@/lib/toasts'
import { strings } from '@/strings/studio'

import { text } from '@/strings/agents'
import { named } from './agent-filters'

const { snapshot: words } = text

/** What is known of a pool's agents now, as a checkpoint; then it is shown. */
export function SnapshotDialog({ onClose }: Readonly<{ onClose: () => void }>) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const pools = useQuery(queries.pools).data ?? []
  const [wanted, setWanted] = useState<string | null>(null)
  const [label, setLabel] = useState('')
  const pool = wanted ?? pools.find(({ is_default }) => is_default)?.key ?? pools[0]?.key ?? null
  const keep = useMutation({
    mutationFn: (key: string) =>
      unwrap(api.POST('/api/agents/snapshot', { body: { pool: key, label } })),
    onSuccess: async ({ name }) => {
      await client.invalidateQueries({ queryKey: ['checkpoints'] })
      notify(words.done(name))
      onClose()
      void navigate(
        `/training?${new URLSearchParams({ tab: 'checkpoints', find: name }).toString()}`,
      )
    },
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={words.title}
      footer={
        <>
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button
            variant="primary"
            isPending={keep.isPending}
            isDisabled={pool === null}
            onPress={() => {
              if (pool !== null) keep.mutate(pool)
            }}
          >
            {words.run}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="text-ink-2">{words.body}</p>
        <Select label={text.pool} options={named(pools)} value={pool} onChange={setWanted} />
        <TextField
          label={words.label}
          value={label}
          onChange={setLabel}
          maxLength={200}
          placeholder={words.labelPlaceholder}
        />
        {keep.error ? <ErrorPanel problem={toApiError(keep.error)} /> : null}
      </div>
    </Dialog>
  )
}
