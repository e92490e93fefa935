import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { DataTable, numberColumn } from '@/components/data-table'
import { Dialog } from '@/components/dialog'
import { Refusal } from '@/components/query-state'
import { TextArea } from '@/components/text-area'
import { WorkingBlock } from '@/components/working'
import type { Checkpoint } from '@/lib/api/checkpoints'
import { api, unwrap } from '@/lib/api/client'
import { useKeepsAgents, useMe } from '@/lib/api/queries'
import { UNKNOWN, formatPoints, formatSigned } from '@/lib/format'
import { useIdempotencyKey, type IdempotencyKey } from '@/lib/idempotency-key'
import { text } from '@/strings/training'

import { AgentDifferences } from './agent-differences'
import { differingSettings, metricsOf, poolOf } from './checkpoint-values'
import { useMetrics, type Metric } from './metrics'

const { checkpoints: words } = text

interface Props {
  left: Checkpoint
  right: Checkpoint
  onClose: () => void
}

/** Two checkpoints: their metrics with the difference, and the settings that differ. */
export function CompareDialog({ left, right, onClose }: Readonly<Props>) {
  const settings = differingSettings(left, right)
  const pool = poolOf(right) ?? poolOf(left)
  const keepsAgents = useKeepsAgents()
  const mayRun = useMe()?.permissions.run ?? false
  return (
    <Dialog isOpen wide onClose={onClose} title={words.compareTitle}>
      <div className="-m-4 flex flex-col gap-4">
        <MetricsTable left={left} right={right} />
        {keepsAgents(left.method) && keepsAgents(right.method) && pool !== null ? (
          <AgentDifferences left={left.name} right={right.name} pool={pool} />
        ) : null}
        {mayRun ? (
          <div className="px-4">
            <AskBoth left={left} right={right} />
          </div>
        ) : null}
        <section className="flex flex-col gap-1 pb-4">
          <h3 className="px-4 text-xs font-semibold text-ink-2">{words.differing}</h3>
          {settings.length === 0 ? (
            <p className="px-4 text-ink-2">{words.sameSettings}</p>
          ) : (
            <DataTable
              label={words.differing}
              rows={settings}
              keyOf={({ name }) => name}
              columns={[
                {
                  key: 'name',
                  head: words.setting,
                  isRowHead: true,
                  render: ({ name }) => <span className="font-mono text-xs">{name}</span>,
                },
                { key: 'left', head: <Name name={left.name} />, render: (row) => row.left },
                { key: 'right', head: <Name name={right.name} />, render: (row) => row.right },
              ]}
            />
          )}
        </section>
      </div>
    </Dialog>
  )
}

function MetricsTable({ left, right }: Readonly<Omit<Props, 'onClose'>>) {
  const known = useMetrics(left.method, right.method)
  if (known === null) return <WorkingBlock />
  const [ours, theirs] = [metricsOf(left), metricsOf(right)]
  return (
    <DataTable
      label={words.compareTitle}
      rows={known.order.filter((key) => key in ours || key in theirs).map(known.of)}
      keyOf={({ key }) => key}
      columns={[
        {
          key: 'metric',
          head: words.metric,
          isRowHead: true,
          className: 'min-w-32',
          render: ({ title }) => title,
        },
        numberColumn('left', <Name name={left.name} />, ({ key, format }: Metric) =>
          format(ours[key]),
        ),
        numberColumn('right', <Name name={right.name} />, ({ key, format }: Metric) =>
          format(theirs[key]),
        ),
        numberColumn('difference', words.difference, ({ key, unit }: Metric) =>
          differenceText(unit, ours[key], theirs[key]),
        ),
      ]}
    />
  )
}

/** Names of checkpoints are long; the numbers below them are not. */
const Name = ({ name }: Readonly<{ name: string }>) => (
  <span className="inline-block max-w-36 break-words whitespace-normal">{name}</span>
)

function differenceText(
  unit: Metric['unit'],
  left: number | undefined,
  right: number | undefined,
): string {
  if (left === undefined || right === undefined) return UNKNOWN
  return (unit === 'share' ? formatPoints : formatSigned)(right - left)
}

/** One question to both, with the same seed; leads to their graphs laid over each other. */
function AskBoth({ left, right }: Readonly<{ left: Checkpoint; right: Checkpoint }>) {
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
      <Refusal of={ask} />
    </section>
  )
}
