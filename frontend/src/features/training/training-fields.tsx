import { useQueries } from '@tanstack/react-query'
import { Link } from 'react-router'

import { Card } from '@/components/card'
import { CheckpointSelect } from '@/components/checkpoint-select'
import { NumberField } from '@/components/number-field'
import { Select } from '@/components/select'
import { TextField } from '@/components/text-field'
import { fieldMessage, type ApiError } from '@/lib/api/errors'
import { queries } from '@/lib/api/queries'
import { formatCount } from '@/lib/format'
import { strings } from '@/strings/studio'

import { SPLITS, splitOr } from '@/lib/splits'
import { MAX_SEED, onDataset, useTrainingDraft } from './form-draft'
import { text } from '@/strings/training'
import type { TrainableMethod } from './use-training'

const { form } = text

interface WhatProps {
  methods: readonly TrainableMethod[]
  method: TrainableMethod
  preset: string
  error: ApiError | null
}

export function WhatFields({ methods, method, preset, error }: Readonly<WhatProps>) {
  const draft = useTrainingDraft()
  return (
    <Card title={form.what}>
      <div className="grid grid-cols-2 items-start gap-3 lg:grid-cols-4">
        <Select
          label={form.method}
          options={methods.map(({ method: key, name }) => ({ key, label: name }))}
          value={method.method}
          onChange={(key) =>
            draft.change({ method: key, preset: null, startFrom: null, config: {} })
          }
          error={fieldMessage(error, 'method')}
        />
        <Select
          label={form.preset}
          options={Object.keys(method.presets).map((key) => ({
            key,
            label: key,
            description: form.presets[key] ?? '',
          }))}
          value={preset}
          onChange={(key) => draft.change({ preset: key, config: {} })}
          error={fieldMessage(error, 'preset')}
        />
        <CheckpointSelect
          label={form.from}
          noneLabel={form.fromNone}
          method={method.method}
          learns
          value={draft.startFrom}
          onChange={(startFrom) => draft.change({ startFrom })}
          error={fieldMessage(error, 'start_from')}
        />
        <TextField
          label={form.name}
          value={draft.name}
          onChange={(name) => draft.change({ name })}
          placeholder={form.namePlaceholder}
          error={fieldMessage(error, 'name')}
        />
      </div>
    </Card>
  )
}

interface TaskProps {
  needsPool: boolean
  error: ApiError | null
}

export function TaskFields({ needsPool, error }: Readonly<TaskProps>) {
  const draft = useTrainingDraft()
  const [datasets, endpoints, pools] = useQueries({
    queries: [queries.datasets, queries.endpoints, queries.pools],
  })
  const dataset = datasets.data?.find(({ key }) => key === draft.dataset)
  const enabled = endpoints.data?.filter((endpoint) => endpoint.enabled !== false) ?? []
  const available = dataset?.splits[draft.split]
  const standing = (items: readonly { key: string; is_default?: boolean }[] = []) =>
    items.find(({ is_default }) => is_default)?.key ?? items[0]?.key ?? null
  return (
    <Card title={form.on}>
      <div className="grid grid-cols-2 items-start gap-3 lg:grid-cols-[1.6fr_1fr_1fr_1.3fr_1.3fr_1fr]">
        <Select
          label={form.dataset}
          options={(datasets.data ?? []).map(({ key, name, splits }) => ({
            key,
            label: name || key,
            description: SPLITS.map((split) => `${split} ${formatCount(splits[split])}`).join(', '),
          }))}
          value={dataset?.key ?? null}
          onChange={(key) => {
            const chosen = datasets.data?.find((each) => each.key === key)
            if (chosen) draft.change(onDataset(chosen, draft.split))
          }}
          error={fieldMessage(error, 'dataset')}
        />
        <Select
          label={form.split}
          options={SPLITS.map((key) => ({
            key,
            label: key,
            description: dataset ? formatCount(dataset.splits[key]) : '',
          }))}
          value={draft.split}
          onChange={(key) => draft.change({ split: splitOr(key, 'train') })}
          error={
            fieldMessage(error, 'split') ??
            (available === 0 ? form.emptySplit(draft.split) : undefined)
          }
        />
        <NumberField
          label={form.limit}
          value={draft.limit}
          onChange={(limit) => draft.change({ limit })}
          minimum={1}
          integer
          placeholder={available ? form.limitAll(formatCount(available)) : ''}
          error={fieldMessage(error, 'limit')}
        />
        <Select
          label={form.endpoint}
          options={enabled.map(({ key, name, model }) => ({
            key,
            label: name || key,
            description: model,
          }))}
          value={draft.endpoint ?? standing(enabled)}
          onChange={(endpoint) => draft.change({ endpoint })}
          error={fieldMessage(error, 'endpoint')}
        />
        <Select
          label={form.pool}
          options={(pools.data ?? []).map(({ key, name }) => ({ key, label: name }))}
          value={needsPool ? (draft.pool ?? standing(pools.data)) : null}
          onChange={(pool) => draft.change({ pool })}
          isDisabled={!needsPool}
          placeholder={strings.ask.noPoolNeeded}
          error={fieldMessage(error, 'pool')}
        />
        <NumberField
          label={form.seed}
          value={draft.seed}
          onChange={(seed) => draft.change({ seed: seed ?? 0 })}
          minimum={0}
          maximum={MAX_SEED}
          integer
          error={fieldMessage(error, 'seed')}
        />
      </div>
      {draft.split === 'test' ? <p className="mt-2 text-xs text-warn">{form.testSplit}</p> : null}
      {datasets.data?.length === 0 ? (
        <p className="mt-2 text-ink-2">
          {form.noDataset}{' '}
          <Link to="/datasets" className="text-accent underline underline-offset-2">
            {form.addDataset}
          </Link>
        </p>
      ) : null}
    </Card>
  )
}
