import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { ErrorPanel } from '@/components/error-panel'
import { TextArea } from '@/components/text-area'
import { api, unwrap } from '@/lib/api/client'
import type { Checkpoint } from '@/lib/api/checkpoints'
import { toApiError } from '@/lib/api/errors'
import { useIdempotencyKey, type IdempotencyKey } from '@/lib/idempotency-key'

import { text } from '@/strings/training'

const { checkpoints: words } = text

interface Props {
  left: Checkpoint
  right: Checkpoint
}

/** One question to both, with the same seed; leads to their graphs laid over each other. */
export function AskBoth({ left, right }: Readonly<Props>) {
  const [query, setQuery] = useState('')
  const client = useQueryClient()
  const navigate = useNavigate()
  const keys = [useIdempotencyKey(), useIdempotencyKey()] as const
  const start = async (checkpoint: Checkpoint, key: IdempotencyKey): Promise<string> => {
    const body = {
      query: query.trim(),
      method: checkpoint.method,
      checkpoint: checkpoint.name,
      seed: 0,
    }
    try {
      return (await unwrap(api.POST('/api/runs', { params: { header: key.header(body) }, body })))
        .id
    } catch (error) {
      key.failed(error)
      throw error
    }
  }
  const ask = useMutation({
    // One that was made before the other was refused is the same run when both are asked again.
    mutationFn: () => Promise.all([start(left, keys[0]), start(right, keys[1])]),
    onSuccess: async ([one, other]) => {
      for (const key of keys) key.answered()
      void client.invalidateQueries({ queryKey: ['runs'] })
      await navigate(`/runs/compare?left=${one}&right=${other}`)
    },
  })
  const isEmpty = query.trim() === ''
  return (
    <section className="flex flex-col items-start gap-2">
      <TextArea
        label={words.askBoth}
        help={words.askBothHelp}
        rows={2}
        value={query}
        onChange={setQuery}
        className="w-full"
      />
      <Button isPending={ask.isPending} isDisabled={isEmpty} onPress={() => ask.mutate()}>
        {words.askBothRun}
      </Button>
      {ask.error ? <ErrorPanel problem={toApiError(ask.error)} /> : null}
    </section>
  )
}
