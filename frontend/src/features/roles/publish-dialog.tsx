import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { TextField } from '@/components/text-field'
import { WorkingBlock } from '@/components/working'
import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { queries } from '@/lib/api/queries'
import { strings } from '@/strings/studio'

import { RoleChanges } from './role-changes'

const text = strings.roles.draft

interface Props {
  pool: components['schemas']['PoolDetail']
  onClose: () => void
}

/** Shows what publishing changes of what runs take, then does it; a draft that is another one by now is refused. */
export function PublishDialog({ pool, onClose }: Readonly<Props>) {
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
    <Dialog
      isOpen
      wide
      title={text.dialog}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{strings.common.cancel}</Button>
          <Button
            variant="primary"
            isDisabled={!diff.isSuccess}
            isPending={publish.isPending}
            onPress={() => publish.mutate()}
          >
            {text.publish}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {diff.isPending ? <WorkingBlock /> : null}
        {diff.isError ? (
          <ErrorPanel problem={toApiError(diff.error)} onRetry={() => void diff.refetch()} />
        ) : null}
        {diff.data ? <RoleChanges diff={diff.data} /> : null}
        <TextField
          label={text.note}
          aside={strings.common.optional}
          value={note}
          maxLength={500}
          onChange={setNote}
        />
        {publish.error ? <ErrorPanel problem={toApiError(publish.error)} /> : null}
      </div>
    </Dialog>
  )
}
