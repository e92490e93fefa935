import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { Dialog } from '@/components/dialog'
import { ErrorPanel } from '@/components/error-panel'
import { NumberField } from '@/components/number-field'
import { TextField } from '@/components/text-field'
import type { components } from '@/generated/api'
import { api, unwrap } from '@/lib/api/client'
import { fieldMessage, toApiError, type ApiError } from '@/lib/api/errors'
import { queries, type Dataset } from '@/lib/api/queries'
import { notify } from '@/lib/toasts'
import { text } from '@/strings/datasets'
import { strings } from '@/strings/studio'

import {
  LEVELS,
  NODES,
  compositionBody,
  explanation,
  filledSplits,
  newComposition,
  totalOf,
  totalText,
  withLevel,
  type CompositionDraft,
} from './composition'
import { ImportProgress } from './import-progress'
import { datasetQuery } from './use-datasets'
import { useTold, useUnderWay, type UnderWay } from './use-under-way'

const { composing, form } = text
/** The errors that stand at a field. */
const AT_FIELDS = /^(key|name|seed|levels(\.\d+)?|splits(\.\w+)?)$/

/** Of the draft as it is by then: a number is given only when its field is left, which may be with
 * the click that changes something else. */
type Change = (next: (now: CompositionDraft) => CompositionDraft) => void

interface Props {
  source: Dataset
  /** How far it is, in short; null: nothing is under way, or it is not known. */
  onProgress: (progress: string | null) => void
  onClose: () => void
}

/** A new dataset of tasks that are composed of this one's; then it is shown. To close it ends what is
 * under way. */
export function ComposeDialog({ source, onProgress, onClose }: Readonly<Props>) {
  const navigate = useNavigate()
  const [draft, setDraft] = useState(() => newComposition(source))
  const underWay = useUnderWay(source.key, { isSmall: true })
  useTold(underWay, onProgress)
  const compose = useCompose(source.key, underWay, ({ key }) => {
    notify(composing.done(totalOf(draft)))
    onClose()
    void navigate(`/datasets/${key}`)
  })
  const error = compose.error ? toApiError(compose.error) : null
  const isElsewhere = error !== null && !error.fields.some(({ field }) => AT_FIELDS.test(field))
  const change: Change = (next) => {
    setDraft(next)
    compose.reset()
  }
  const total = totalOf(draft)
  return (
    <Dialog
      isOpen
      wide
      onClose={onClose}
      title={composing.title(source.name)}
      footer={
        <div className="flex w-full flex-col gap-3">
          {underWay.isBusy ? <ImportProgress underWay={underWay} fromHub={false} /> : null}
          <div className="flex justify-end gap-2">
            <Button onPress={onClose}>{strings.common.cancel}</Button>
            <Button
              variant="primary"
              isPending={compose.isPending}
              isDisabled={total === 0 || !draft.key.trim() || !draft.name.trim()}
              onPress={() => compose.mutate(compositionBody(draft))}
            >
              {composing.run(total)}
            </Button>
          </div>
        </div>
      }
    >
      <div className="flex flex-col gap-4" inert={compose.isPending}>
        <div className="flex flex-col gap-1 text-ink-2">
          <p>{explanation(draft)}</p>
          <p className="text-xs text-ink-3">{composing.example}</p>
        </div>
        <div className="grid gap-x-3 gap-y-4 sm:grid-cols-2">
          <TextField
            autoFocus
            label={form.name}
            value={draft.name}
            onChange={(name) => change((now) => ({ ...now, name }))}
            error={fieldMessage(error, 'name')}
          />
          <TextField
            mono
            label={form.key}
            help={form.keyHelp}
            value={draft.key}
            onChange={(key) => change((now) => ({ ...now, key }))}
            error={fieldMessage(error, 'key')}
          />
        </div>
        <LevelFields draft={draft} onChange={change} error={error} />
        <CountFields source={source} draft={draft} onChange={change} error={error} />
        <NumberField
          className="sm:w-1/3"
          label={composing.seed}
          help={composing.seedHelp}
          integer
          minimum={0}
          value={draft.seed}
          onChange={(seed) => change((now) => ({ ...now, seed }))}
          error={fieldMessage(error, 'seed')}
        />
        {isElsewhere ? <ErrorPanel title={composing.problemsTitle} problem={error} /> : null}
      </div>
    </Dialog>
  )
}

interface FieldsProps {
  draft: CompositionDraft
  onChange: Change
  error: ApiError | null
}

function LevelFields({ draft, onChange, error }: Readonly<FieldsProps>) {
  const problem = error?.fields.find(({ field }) => field.startsWith('levels'))?.message
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-xs font-semibold">{composing.levels}</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        {LEVELS.map((level) => (
          <Checkbox
            key={level}
            isSelected={draft.levels.includes(level)}
            onChange={(on) => onChange((now) => withLevel(now, level, on))}
            help={composing.problems(NODES[level])}
          >
            {composing.level[level]}
          </Checkbox>
        ))}
      </div>
      <FieldProblem message={problem} />
    </fieldset>
  )
}

function CountFields(props: Readonly<FieldsProps & { source: Dataset }>) {
  const { source, draft, onChange, error } = props
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-xs font-semibold">{composing.counts}</legend>
      <div className="grid gap-3 sm:grid-cols-3">
        {filledSplits(source).map((split) => (
          <NumberField
            key={split}
            label={text.splits[split]}
            help={composing.available(source.splits[split])}
            integer
            minimum={0}
            placeholder="0"
            value={draft.counts[split]}
            onChange={(count) =>
              onChange((now) => ({ ...now, counts: { ...now.counts, [split]: count } }))
            }
            error={fieldMessage(error, `splits.${split}`)}
          />
        ))}
      </div>
      <p role="status" className="text-xs text-ink-3 tabular-nums">
        {totalText(draft)}
      </p>
      <FieldProblem message={fieldMessage(error, 'splits')} />
    </fieldset>
  )
}

function FieldProblem({ message }: Readonly<{ message: string | undefined }>) {
  return message ? (
    <p role="alert" className="text-xs font-medium text-bad">
      {message}
    </p>
  ) : null
}

function useCompose(source: string, underWay: UnderWay, onMade: (made: Dataset) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: components['schemas']['ComposeRequest']) =>
      underWay.run(({ header, ...sending }) =>
        unwrap(
          api.POST('/api/datasets/{key}/compose', {
            params: { path: { key: source }, header },
            body,
            ...sending,
          }),
        ),
      ),
    onSuccess: async (made) => {
      client.setQueryData(datasetQuery(made.key).queryKey, made)
      await client.invalidateQueries({ queryKey: queries.datasets.queryKey })
      onMade(made)
    },
  })
}
