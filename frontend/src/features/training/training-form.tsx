import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useMemo } from 'react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { ErrorPanel } from '@/components/error-panel'
import { api, unwrap } from '@/lib/api/client'
import { toApiError, type ApiError } from '@/lib/api/errors'
import { queries, useMe } from '@/lib/api/queries'
import { configFields, fieldsFrom, type ConfigField } from '@/lib/config-schema'
import { formatCount } from '@/lib/format'
import { useIdempotencyKey } from '@/lib/idempotency-key'

import { BudgetFields } from './budget-fields'
import { emptyDraft, requestOf, useTrainingDraft } from './form-draft'
import { SettingsFields } from './settings-fields'
import { text } from '@/strings/training'
import { TaskFields, WhatFields } from './training-fields'
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
      <TaskFields needsPool={method.needs_pool} error={error} />
      <BudgetFields error={error} />
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
      return unwrap(api.POST('/api/training-jobs', { params: { header: key.header(body) }, body }))
    },
    onError: (error) => {
      key.failed(error)
    },
    onSuccess: async (job) => {
      key.answered()
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
  if (dataset === null) return form.needsDataset
  return splits?.[split] === 0 ? form.emptySplit(split) : null
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
