import { useQueries } from '@tanstack/react-query'

import { Card } from '@/components/card'
import { CheckpointSelect } from '@/components/checkpoint-select'
import { TaskFields } from '@/components/jobs/task-fields'
import { NumberField } from '@/components/number-field'
import { endpointOptions, named } from '@/components/options'
import { Select } from '@/components/select'
import { TextField } from '@/components/text-field'
import { fieldMessage, type ApiError } from '@/lib/api/errors'
import { queries, oneOf } from '@/lib/api/queries'
import { strings } from '@/strings/studio'

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
          noneLabel={method.asks_endpoint ? form.fromNone : form.fromModel}
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

interface OnProps {
  method: TrainableMethod
  error: ApiError | null
}

/** On what it trains: tasks, endpoint, pool and seed. */
export function OnFields({ method, error }: Readonly<OnProps>) {
  const { needs_pool: needsPool, asks_endpoint: asksEndpoint } = method
  const draft = useTrainingDraft()
  const [endpoints, pools] = useQueries({ queries: [queries.endpoints, queries.pools] })
  const enabled = endpoints.data?.filter((endpoint) => endpoint.enabled !== false) ?? []
  return (
    <TaskFields
      title={form.on}
      draft={draft}
      onDataset={onDataset}
      warning={['test', form.testSplit]}
      error={error}
      layout="lg:grid-cols-[1.6fr_1fr_1fr_1.3fr_1.3fr_1fr]"
    >
      <Select
        label={form.endpoint}
        options={endpointOptions(enabled)}
        value={asksEndpoint ? (draft.endpoint ?? oneOf(enabled)?.key ?? null) : null}
        onChange={(endpoint) => draft.change({ endpoint })}
        isDisabled={!asksEndpoint}
        placeholder={strings.ask.noPoolNeeded}
        error={fieldMessage(error, 'endpoint')}
      />
      <Select
        label={form.pool}
        options={named(pools.data)}
        value={needsPool ? (draft.pool ?? oneOf(pools.data)?.key ?? null) : null}
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
    </TaskFields>
  )
}
