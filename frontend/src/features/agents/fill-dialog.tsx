import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { Select } from '@/components/select'
import { api, unwrap } from '@/lib/api/client'
import { toApiError } from '@/lib/api/errors'
import { queries } from '@/lib/api/queries'
import { notify } from '@/lib/toasts'
import { strings } from '@/strings/studio'

import { text } from '@/strings/agents'
import { named } from './agent-filters'

const { fill: words } = text

/** An agent for each role of a pool on each of some endpoints. */
export function FillDialog({ onClose }: Readonly<{ onClose: () => void }>) {
  const client = useQueryClient()
  const pools = useQuery(queries.pools).data ?? []
  const endpoints = (useQuery(queries.endpoints).data ?? []).filter(
    ({ enabled }) => enabled !== false,
  )
  const [wanted, setWanted] = useState<string | null>(null)
  const [without, setWithout] = useState<readonly string[]>([])
  const pool = wanted ?? pools.find(({ is_default }) => is_default)?.key ?? pools[0]?.key ?? null
  const chosen = endpoints.map(({ key }) => key).filter((key) => !without.includes(key))
  const fill = useMutation({
    mutationFn: (key: string) =>
      unwrap(api.POST('/api/agents/fill', { body: { pool: key, endpoints: chosen } })),
    onSuccess: async ({ agents, new: added }) => {
      await client.invalidateQueries({ queryKey: ['agents'] })
      notify(words.done(added, agents))
      onClose()
    },
  })
  const roles = useQuery({ ...queries.pool(pool ?? ''), enabled: pool !== null }).data?.roles
  const count = (roles?.filter(({ enabled }) => enabled !== false).length ?? 0) * chosen.length
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
            isPending={fill.isPending}
            isDisabled={pool === null || chosen.length === 0}
            onPress={() => {
              if (pool !== null) fill.mutate(pool)
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
        <fieldset className="flex flex-col gap-2">
          <legend className="pb-1 text-xs font-medium text-ink-2">{words.endpoints}</legend>
          {endpoints.map(({ key, name, model }) => (
            <Checkbox
              key={key}
              isSelected={chosen.includes(key)}
              onChange={(on) =>
                setWithout(on ? without.filter((one) => one !== key) : [...without, key])
              }
              help={model}
            >
              {name || key}
            </Checkbox>
          ))}
        </fieldset>
        <p role="status" className="text-xs text-ink-3 tabular-nums">
          {words.makes(count)}
        </p>
        {fill.error ? <ErrorPanel problem={toApiError(fill.error)} /> : null}
      </div>
    </Dialog>
  )
}
