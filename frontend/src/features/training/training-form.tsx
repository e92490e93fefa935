import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Play, RotateCcw } from 'lucide-react'
import { useMemo } from 'react'
import { useNavigate } from 'react-router'

import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfigForm } from '@/components/config-form'
import { Disclosure } from '@/components/disclosure'
import { ErrorPanel } from '@/components/error-panel'
import { NumberField } from '@/components/number-field'
import { api, unwrap } from '@/lib/api/client'
import { fieldMessage, toApiError, type ApiError } from '@/lib/api/errors'
import { queries, useMe } from '@/lib/api/queries'
import {
  changedConfig,
  configFields,
  configGroups,
  fieldsFrom,
  type ConfigField,
} from '@/lib/config-schema'
import { formatCount } from '@/lib/format'
import { useIdempotencyKey } from '@/lib/idempotency-key'
import { taskFields } from '@/strings/jobs'
import { text } from '@/strings/training'

import { SYSTEM_LIMITS, emptyDraft, requestOf, useTrainingDraft } from './form-draft'
import { OnFields, WhatFields } from './training-fields'
import { jobQuery, type TrainableMethod } from './use-training'

const { form } = text

export function TrainingForm({ methods }: Readonly<{ methods: readonly TrainableMethod[] }>) {
  const draft = useTrainingDraft()
  const method = methods.find((each) => each.method === draft.method) ?? methods[0]
  const preset = method && draft.preset && draft.preset in method.presets ? draft.preset : null
  const chosen = preset ?? Object.keys(method?.presets ?? {})[0] ?? ''
  const fields = useMemo(
    () => fieldsFrom(configFields(method?.config_schema), method?.presets[chosen] ?? {}),
    [method, chosen],
  )
  const start = useStart(method, fields)
  const error = start.error ? toApiError(start.error) : null
  const obstacle = useObstacle()
  if (!method) return <p className="text-ink-2">{form.noMethod}</p>
  return (
    <div className="flex flex-col gap-4">
      <WhatFields methods={methods} method={method} preset={chosen} error={error} />
      <OnFields method={method} error={error} />
      <LimitFields asksEndpoint={method.asks_endpoint} error={error} />
      <SettingsFields method={method} fields={fields} error={error} />
      {error && !isShownAtField(error) ? (
        <ErrorPanel title={form.problems} problem={error} />
      ) : null}
      <footer className="sticky bottom-14 z-20 flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line bg-surface-1 px-4 py-2.5 shadow-float sm:bottom-3">
        <p role="status" className="min-w-0 text-sm">
          {estimate(fields, draft.config)}
          {obstacle === null ? null : <span className="block text-bad">{obstacle}</span>}
        </p>
        <Button
          variant="primary"
          size="lg"
          isDisabled={obstacle !== null}
          isPending={start.isPending}
          onPress={() => start.mutate()}
          icon={<Play size={14} aria-hidden fill="currentColor" />}
        >
          {form.start}
        </Button>
      </footer>
    </div>
  )
}

function useStart(method: TrainableMethod | undefined, fields: readonly ConfigField[]) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const key = useIdempotencyKey()
  return useMutation({
    mutationFn: () => {
      if (!method) throw new Error(form.noMethod)
      const body = requestOf(useTrainingDraft.getState(), method, fields)
      return key.send(body, (header) =>
        unwrap(api.POST('/api/training-jobs', { params: { header }, body })),
      )
    },
    onSuccess: async (job) => {
      client.setQueryData(jobQuery(job.id).queryKey, job)
      void client.invalidateQueries({ queryKey: ['trainings'] })
      await navigate(`/training/${job.id}`)
      useTrainingDraft.getState().change(emptyDraft())
    },
  })
}

/** Why it cannot be started as it is, and what to do; null where it can. */
function useObstacle(): string | null {
  const { dataset, split } = useTrainingDraft()
  const splits = useQuery(queries.datasets).data?.find(({ key }) => key === dataset)?.splits
  const mayRun = useMe()?.permissions.run ?? false
  if (!mayRun) return form.viewer
  if (dataset === null) return taskFields.needsDataset
  return splits?.[split] === 0 ? taskFields.emptySplit(split) : null
}

/** Steps × queries (× systems), where the method has settings of these names. */
function estimate(
  fields: readonly ConfigField[],
  config: Readonly<Record<string, unknown>>,
): string {
  const value = (name: string): number | null => {
    const found = config[name] ?? fields.find(({ key }) => key === name)?.initial
    return typeof found === 'number' ? found : null
  }
  const [steps, queries, systems] = [
    value('steps'),
    value('queries_per_step'),
    value('systems_per_query'),
  ]
  if (steps === null || queries === null) return ''
  if (systems === null)
    return form.estimateQueries(formatCount(steps * queries), formatCount(steps))
  return form.estimate(formatCount(steps * queries * systems), formatCount(steps))
}

const FIELDS =
  /^(name|method|preset|start_from|dataset|split|limit|endpoint|pool|seed|keep_checkpoints|budget\..+|per_system\..+|config\..+)$/

const isShownAtField = (error: ApiError): boolean =>
  error.fields.length > 0 && error.fields.every(({ field }) => FIELDS.test(field))

interface LimitProps {
  asksEndpoint: boolean
  error: ApiError | null
}

/** What the training may spend at its endpoint, if it asks one, and what it keeps. */
function LimitFields({ asksEndpoint, error }: Readonly<LimitProps>) {
  const draft = useTrainingDraft()
  return (
    <Card title={form.budget}>
      <div className="grid grid-cols-2 items-start gap-3 lg:grid-cols-4">
        {asksEndpoint ? <BudgetFields error={error} /> : null}
        <NumberField
          label={form.keep}
          value={draft.keep}
          onChange={(keep) => draft.change({ keep: keep ?? 5 })}
          minimum={1}
          maximum={1_000}
          integer
          help={form.keepHelp}
          error={fieldMessage(error, 'keep_checkpoints')}
        />
      </div>
      {asksEndpoint ? <SystemLimitFields error={error} /> : null}
    </Card>
  )
}

function BudgetFields({ error }: Readonly<{ error: ApiError | null }>) {
  const draft = useTrainingDraft()
  return (
    <>
      <NumberField
        label={form.maxTokens}
        value={draft.maxTokens}
        onChange={(maxTokens) => draft.change({ maxTokens })}
        minimum={1}
        integer
        placeholder={text.noLimit}
        error={fieldMessage(error, 'budget.max_tokens')}
      />
      <NumberField
        label={form.maxCost}
        value={draft.maxCost}
        onChange={(maxCost) => draft.change({ maxCost })}
        minimum={0}
        placeholder={text.noLimit}
        error={fieldMessage(error, 'budget.max_cost')}
      />
    </>
  )
}

function SystemLimitFields({ error }: Readonly<{ error: ApiError | null }>) {
  const draft = useTrainingDraft()
  return (
    <>
      <h3 className="pt-4 pb-2 text-sm font-medium">{form.perSystem}</h3>
      <div className="grid grid-cols-2 items-start gap-3 lg:grid-cols-4">
        {SYSTEM_LIMITS.map((limit) => (
          <NumberField
            key={limit}
            label={form.systemLimits[limit]}
            value={draft.perSystem[limit]}
            onChange={(value) =>
              draft.change({ perSystem: { ...draft.perSystem, [limit]: value } })
            }
            minimum={limit === 'max_cost' ? 0 : 1}
            integer={limit === 'max_tokens' || limit === 'max_completion_tokens_per_call'}
            placeholder={limit === 'max_cost' ? text.noLimit : form.systemDefault}
            error={fieldMessage(error, `per_system.${limit}`)}
          />
        ))}
      </div>
    </>
  )
}

interface Props {
  method: TrainableMethod
  /** With the preset's values. */
  fields: readonly ConfigField[]
  error: ApiError | null
}

/** Every setting of the method, in the groups that its schema names; the first group is open. */
function SettingsFields({ method, fields, error }: Readonly<Props>) {
  const { config, change } = useTrainingDraft()
  const changed = Object.keys(changedConfig(fields, config))
  return (
    <Card
      title={form.config}
      actions={
        changed.length > 0 ? (
          <Button size="sm" variant="quiet" onPress={() => change({ config: {} })} icon={RotateCcw}>
            {form.restore}
          </Button>
        ) : null
      }
    >
      <p className="pb-2 text-xs text-ink-2">{form.configHelp}</p>
      {configGroups(method.config_schema, fields).map((group, index) => {
        const here = group.fields.filter(({ key }) => changed.includes(key)).length
        const isWrong = error?.fields.some(({ field }) =>
          group.fields.some(({ key }) => field === `config.${key}`),
        )
        return (
          <Disclosure
            key={`${group.title}/${isWrong === true}`}
            className="border-t border-line first-of-type:border-t-0"
            title={group.title || form.general}
            hint={here > 0 ? <Badge tone="accent">{form.changed(here)}</Badge> : null}
            defaultOpen={index === 0 || isWrong === true}
          >
            <div className="grid items-start gap-x-4 gap-y-3 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
              <ConfigForm
                fields={group.fields}
                values={config}
                onChange={(next) => change({ config: next })}
                error={error}
                errorPath="config"
              />
            </div>
          </Disclosure>
        )
      })}
    </Card>
  )
}
