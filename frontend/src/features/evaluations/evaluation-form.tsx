import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Play, Plus } from 'lucide-react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ErrorPanel } from '@/components/error-panel'
import { NumberField } from '@/components/number-field'
import { TextField } from '@/components/text-field'
import { useFieldsOf } from '@/lib/api/fields-of'
import { api, unwrap } from '@/lib/api/client'
import { fieldMessage, toApiError, type ApiError } from '@/lib/api/errors'
import { askable, ownEndpoint, queries, useMe, type Method } from '@/lib/api/queries'
import { useIdempotencyKey } from '@/lib/idempotency-key'
import { strings } from '@/strings/studio'

import { ArmFields } from './arm-fields'
import { text } from '@/strings/evaluations'

import {
  copyOf,
  emptyDraft,
  endpointsOf,
  firstArms,
  newArm,
  replyTokensOf,
  requestOf,
  tasksOf,
  useFormDraft,
  whyNot,
  type ArmDraft,
} from './form-draft'
import { AnsweredFields } from './task-fields'
import { evaluationQuery } from './use-evaluations'
import { useFirstProblem } from './use-first-problem'

const { form } = text

export function EvaluationForm({ methods }: Readonly<{ methods: readonly Method[] }>) {
  const draft = useFormDraft()
  const start = useStart(methods)
  const error = start.error ? toApiError(start.error) : null
  const fields = useFirstProblem(start.error)
  const mayRun = useMe()?.permissions.run ?? false
  const datasets = useQuery(queries.datasets).data
  const dataset = datasets?.find(({ key }) => key === draft.dataset)
  const tasks = tasksOf(draft, dataset?.splits[draft.split])
  const answers = tasks === null ? null : tasks * draft.arms.length * draft.repeats
  const isGone = datasets !== undefined && dataset === undefined
  const obstacle = whyNot(draft, answers, { mayRun, isGone })
  return (
    <div ref={fields} className="flex flex-col gap-4">
      <AnsweredFields error={error} />
      <Arms methods={methods} error={error} />
      <Card title={form.running}>
        <RunFields error={error} />
      </Card>
      {error && !isShownAtField(error) ? (
        <ErrorPanel title={form.problems} problem={error} />
      ) : null}
      <footer className="sticky bottom-14 z-20 flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line bg-surface-1 px-4 py-2.5 shadow-float sm:bottom-3">
        <p role="status" className="min-w-0 text-sm">
          {answers === null || tasks === null
            ? null
            : form.estimate({ arms: draft.arms.length, tasks, repeats: draft.repeats }, answers)}
          {obstacle === null ? null : <span className="block text-bad">{obstacle}</span>}
        </p>
        {error ? (
          <p role="alert" className="min-w-0 flex-1 text-right text-sm font-medium text-bad">
            {form.refused(
              fieldMessages(error)[0] ?? error.message,
              fieldMessages(error).length - 1,
            )}
          </p>
        ) : null}
        <Button
          variant="primary"
          size="lg"
          isDisabled={obstacle !== null || answers === null}
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

function useStart(methods: readonly Method[]) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const key = useIdempotencyKey()
  const fieldsOf = useFieldsOf(methods)
  return useMutation({
    mutationFn: () => {
      const body = requestOf(useFormDraft.getState(), methods, fieldsOf)
      return key.send(body, (header) =>
        unwrap(api.POST('/api/evaluations', { params: { header }, body })),
      )
    },
    onSuccess: async (evaluation) => {
      client.setQueryData(evaluationQuery(evaluation.id).queryKey, evaluation)
      void client.invalidateQueries({ queryKey: ['evaluations'] })
      await navigate(`/evaluations/${evaluation.id}`)
      useFormDraft.getState().change({ ...emptyDraft(), arms: firstArms(methods) })
    },
  })
}

interface ArmsProps {
  methods: readonly Method[]
  error: ApiError | null
}

function Arms({ methods, error }: Readonly<ArmsProps>) {
  const { arms, change } = useFormDraft()
  const put = (next: readonly ArmDraft[]): void => change({ arms: next })
  return (
    <Card
      flush
      title={form.arms}
      actions={
        <Button size="sm" onPress={() => put([...arms, newArm(unused(methods, arms))])} icon={Plus}>
          {form.add}
        </Button>
      }
    >
      <p className="px-4 pt-2.5 text-xs text-ink-2">
        {form.armsHelp} <ArmsShare arms={arms} />
      </p>
      {arms.map((arm, index) => (
        <ArmFields
          key={arm.id}
          arm={arm}
          index={index}
          onChange={(part) =>
            put(arms.map((each) => (each.id === arm.id ? { ...each, ...part } : each)))
          }
          onCopy={() => put([...arms.slice(0, index + 1), copyOf(arm), ...arms.slice(index + 1)])}
          onRemove={arms.length > 1 ? () => put(arms.filter(({ id }) => id !== arm.id)) : null}
          error={error}
        />
      ))}
    </Card>
  )
}

/** Whether a difference between the arms would be that of their methods. */
function ArmsShare({ arms }: Readonly<{ arms: readonly ArmDraft[] }>) {
  const endpoints = useQuery(queries.endpoints).data
  const methods = useQuery(queries.methods).data
  const fieldsOf = useFieldsOf(methods)
  const forAll = useFormDraft().max_completion_tokens_per_call
  if (arms.length < 2) return null
  const methodOf = (arm: ArmDraft) => methods?.find(({ key }) => key === arm.method)
  const standing = endpoints?.find(({ is_default }) => is_default)?.key
  const asked = arms.map((arm) => {
    const usual = ownEndpoint(methodOf(arm), arm.checkpoint) ?? standing
    return endpointsOf(arm, fieldsOf(methodOf(arm), arm.checkpoint), usual)
  })
  const limits = arms.map((arm) => replyTokensOf(arm, methodOf(arm), endpoints, forAll))
  const differing = [
    ...(isOne(limits) ? [] : [form.differing.limit]),
    ...(isOne(asked.filter((each) => each !== null)) ? [] : [form.differing.endpoint]),
  ]
  if (differing.length === 0 && asked.includes(null)) return form.designsMayDiffer
  return differing.length === 0 ? (
    form.sameForAll
  ) : (
    <span className="font-medium text-warn">{form.notTheMethods(differing.join(form.and))}</span>
  )
}

const isOne = (values: readonly unknown[]): boolean => new Set(values).size <= 1

/** A new row proposes a method that is not compared yet. */
const unused = (methods: readonly Method[], arms: readonly ArmDraft[]): string =>
  (askable(methods).find(({ key }) => !arms.some((arm) => arm.method === key)) ?? methods[0])
    ?.key ?? ''

function RunFields({ error }: Readonly<{ error: ApiError | null }>) {
  const draft = useFormDraft()
  const limit = (key: 'max_tokens' | 'max_completion_tokens_per_call' | 'max_seconds') => (
    <NumberField
      label={form.budgetFields[key]}
      value={draft[key]}
      onChange={(value) => draft.change({ [key]: value })}
      minimum={1}
      integer
      placeholder={strings.common.default}
      error={fieldMessage(error, `budget.${key}`)}
    />
  )
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-2 items-start gap-3 sm:grid-cols-[2fr_1fr_1fr]">
        <TextField
          className="max-sm:col-span-2"
          label={form.name}
          value={draft.name}
          onChange={(name) => draft.change({ name })}
          placeholder={form.namePlaceholder}
          error={fieldMessage(error, 'name')}
        />
        <NumberField
          label={form.seed}
          value={draft.seed}
          onChange={(seed) => draft.change({ seed: seed ?? 0 })}
          minimum={0}
          integer
          help={form.seedHelp}
          error={fieldMessage(error, 'seed')}
        />
        <NumberField
          label={form.concurrency}
          value={draft.concurrency}
          onChange={(concurrency) => draft.change({ concurrency: concurrency ?? 4 })}
          minimum={1}
          maximum={64}
          integer
          error={fieldMessage(error, 'concurrency')}
        />
      </div>
      <fieldset>
        <legend className="pb-2 text-xs font-semibold text-ink-2">{form.budget}</legend>
        <div className="grid grid-cols-2 items-start gap-3 sm:grid-cols-4">
          {limit('max_tokens')}
          {limit('max_completion_tokens_per_call')}
          {limit('max_seconds')}
          <NumberField
            label={form.budgetFields.max_cost}
            value={draft.max_cost}
            onChange={(max_cost) => draft.change({ max_cost })}
            minimum={0}
            placeholder={form.noLimit}
            error={fieldMessage(error, 'budget.max_cost')}
          />
        </div>
      </fieldset>
    </div>
  )
}

const FIELDS =
  /^(name|dataset|split|limit|repeats|seed|concurrency|budget\..+|arms\.\d+\.(label|method|checkpoint|endpoint|pool|design|design_version|max_completion_tokens_per_call|method_config\..+))$/

const fieldMessages = (error: ApiError): string[] => error.fields.map(({ message }) => message)

const isShownAtField = (error: ApiError): boolean =>
  error.fields.length > 0 && error.fields.every(({ field }) => FIELDS.test(field))
